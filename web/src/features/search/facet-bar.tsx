import type { Answers } from '#api/contract/operations/index'
import { type FilterName, toggleFilter } from '#domain/conversation/search-query'
import { visibleText } from '../../lib/visible-text'

type Facets = NonNullable<Answers['search']['facets']>

/** Values of one filter that are offered. */
const SHOWN_VALUES = 6

/** The filters that are offered, with their names for a person. An agent CLI is chosen above, a session at its results. */
const GROUPS: readonly (readonly ['is' | 'tool' | 'project', string])[] = [
  ['is', 'Kind'],
  ['tool', 'Tool'],
  ['project', 'Project'],
]

interface FacetBarProps {
  q: string
  facets: Facets
  /** Not all matches were counted. */
  isCut: boolean
  /** Called with the query that a click makes. */
  onChange(q: string): void
}

/** What the matches are, with counts. A click adds the filter to the query, or takes it out. */
export function FacetBar({ q, facets, isCut, onChange }: FacetBarProps) {
  // A single value tells nothing apart, unless it can be taken out.
  const shown = GROUPS.filter(
    ([name]) => facets[name].length > 1 || (facets[name].length > 0 && q.includes(`${name}:`)),
  )
  if (shown.length === 0) return null
  return (
    <div className="flex flex-wrap gap-x-4 gap-y-1 border-b border-line px-3 py-1.5 text-xs">
      {shown.map(([name, title]) => (
        <div key={name} role="group" aria-label={title} className="flex flex-wrap items-center gap-1">
          <span className="text-ink-3">{title}</span>
          {facets[name].slice(0, SHOWN_VALUES).map(({ value, count }) => (
            <Facet
              key={value}
              name={name}
              value={value}
              count={`${count.toLocaleString('en')}${isCut ? '+' : ''}`}
              q={q}
              onChange={onChange}
            />
          ))}
        </div>
      ))}
    </div>
  )
}

interface FacetProps {
  name: FilterName
  value: string
  count: string
  q: string
  onChange(q: string): void
}

function Facet({ name, value, count, q, onChange }: FacetProps) {
  const next = toggleFilter(q, name, value)
  const isOn = next.length < q.length
  return (
    <button
      type="button"
      aria-pressed={isOn}
      title={value}
      onClick={() => onChange(next)}
      className={`min-h-6 max-w-48 truncate rounded border px-1.5 ${isOn ? 'border-accent font-medium text-accent' : 'border-line text-ink-2 hover:bg-hover'}`}
    >
      {visibleText(name === 'project' ? (value.split('/').findLast((part) => part !== '') ?? value) : value)}{' '}
      <span className="text-ink-3">{count}</span>
    </button>
  )
}
