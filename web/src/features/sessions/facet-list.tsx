import { useState } from 'react'
import type { Answers } from '#api/contract/operations/index'
import { SESSION_FACETS, type SessionFacet } from '#domain/session/session-list'
import { visibleText } from '../../lib/visible-text'
import { NONE, type SessionsSearch, withFacet } from './sessions-search'
import { FACET_TITLES, facetWords } from './sessions-words'

type Facets = Answers['sessions']['facets']['facets']

interface FacetListProps {
  search: SessionsSearch
  facets: Facets
  onChange(search: SessionsSearch): void
}

/** What sessions can be narrowed to, with counts. */
export function FacetList({ search, facets, onChange }: FacetListProps) {
  return (
    <div className="flex flex-col gap-3 px-3 py-2">
      {SESSION_FACETS.map((facet) => (
        <Facet key={facet} facet={facet} values={facets[facet]} search={search} onChange={onChange} />
      ))}
    </div>
  )
}

/** Values of a facet before "Show all". */
const SHOWN_VALUES = 6

function Facet({
  facet,
  values,
  search,
  onChange,
}: Pick<FacetListProps, 'search' | 'onChange'> & { facet: SessionFacet; values: Facets[SessionFacet] }) {
  const [isWhole, setWhole] = useState(false)
  const chosen = search[facet]
  const isChosen = (value: string | null) => chosen === (value ?? NONE)
  // A single value tells nothing apart, unless it can be taken away.
  if (values.length < 2 && chosen === undefined) return null
  const shown = isWhole ? values : values.filter(({ value }, at) => at < SHOWN_VALUES || isChosen(value))
  return (
    <div role="group" aria-label={FACET_TITLES[facet]} className="flex min-w-0 flex-col">
      <span className="pb-0.5 text-2xs font-medium text-ink-3">{FACET_TITLES[facet]}</span>
      {shown.map(({ value, label, sessions }) => (
        <button
          key={value}
          type="button"
          aria-pressed={isChosen(value)}
          title={visibleText(label ?? value ?? '')}
          onClick={() => onChange(withFacet(search, facet, value))}
          className={`flex min-h-6 min-w-0 items-baseline gap-2 rounded-sm px-1.5 text-left text-xs hover:bg-hover max-md:min-h-9 ${isChosen(value) ? 'tint-accent font-medium text-ink' : 'text-ink-2'}`}
        >
          <span className="min-w-0 flex-1 truncate">{facetWords(facet, value, label)}</span>
          <span className="text-2xs text-ink-3">{sessions.toLocaleString('en')}</span>
        </button>
      ))}
      {values.length > SHOWN_VALUES ? (
        <button
          type="button"
          onClick={() => setWhole(!isWhole)}
          className="min-h-6 px-1.5 text-left text-2xs text-accent hover:underline max-md:min-h-9"
        >
          {isWhole ? 'Show fewer' : `Show all ${values.length}`}
          <span className="sr-only">: {FACET_TITLES[facet]}</span>
        </button>
      ) : null}
    </div>
  )
}
