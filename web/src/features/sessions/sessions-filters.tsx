import { ListFilter, Rows2, Rows3, X } from 'lucide-react'
import { SHOWN_SESSION_STATUSES } from '#domain/session/session'
import { SESSION_FACETS, SESSION_SORTS, type SessionSort } from '#domain/session/session-list'
import { TypedField } from '../../components/typed-field'
import { Button, IconButton } from '../../components/ui/button'
import { Select } from '../../components/ui/field'
import { keptChoice } from '../../lib/kept-choice'
import { oneOf } from '../../lib/search'
import { NONE, type SessionsSearch, sortedBy } from './sessions-search'
import { FACET_TITLES, facetWords, SORT_TITLES } from './sessions-words'

/** How much of a row is shown. */
export const density = keptChoice('lodeline.sessions-density', ['comfortable', 'dense'])

interface SessionsFiltersProps {
  search: SessionsSearch
  /** Name of the project that is chosen by its key. */
  projectName: string | null
  areFacetsOpen: boolean
  onFacets(): void
  onChange(search: SessionsSearch): void
}

/** Search field, status, order and what the list is narrowed to. The address holds all of it. */
export function SessionsFilters({ search, projectName, areFacetsOpen, onFacets, onChange }: SessionsFiltersProps) {
  const isDense = density.useChoice() === 'dense'
  const without = (name: keyof SessionsSearch): SessionsSearch => {
    const { [name]: _, ...rest } = search
    return rest
  }
  const sort: SessionSort = search.sort ?? 'active'
  return (
    <div
      role="search"
      aria-label="Sessions"
      className="flex shrink-0 flex-wrap items-end gap-2 border-b border-line px-3 py-2"
    >
      <Button
        icon={<ListFilter aria-hidden size={13} />}
        aria-expanded={areFacetsOpen}
        onClick={onFacets}
        className="lg:hidden"
      >
        Filters
      </Button>
      <div className="min-w-40 flex-1 sm:max-w-72">
        <TypedField
          label="Search title or ID"
          value={search.q ?? ''}
          onType={(q) => onChange(q === '' ? without('q') : { ...search, q })}
        />
      </div>
      <div className="flex gap-2 max-sm:w-full max-sm:*:flex-1">
        <Select
          label="Status"
          isLabelHidden
          value={search.status ?? ''}
          onChange={({ target }) => {
            const status = oneOf(SHOWN_SESSION_STATUSES, target.value)
            onChange(status === undefined ? without('status') : { ...search, status })
          }}
        >
          <option value="">Any status</option>
          {SHOWN_SESSION_STATUSES.map((status) => (
            <option key={status} value={status}>
              {status}
            </option>
          ))}
        </Select>
        <Select
          label="Order"
          isLabelHidden
          value={sort}
          onChange={({ target }) => {
            const by = oneOf(SESSION_SORTS, target.value) ?? 'active'
            if (by !== sort) onChange(sortedBy(search, by))
          }}
        >
          {SESSION_SORTS.map((by) => (
            <option key={by} value={by}>
              {SORT_TITLES[by]}
            </option>
          ))}
        </Select>
        <IconButton
          label={isDense ? 'Show two lines for each session' : 'Show one line for each session'}
          onClick={() => density.choose(isDense ? 'comfortable' : 'dense')}
          className="max-sm:hidden"
        >
          {isDense ? <Rows2 aria-hidden size={14} /> : <Rows3 aria-hidden size={14} />}
        </IconButton>
      </div>
      {SESSION_FACETS.map((facet) => {
        const value = search[facet]
        if (value === undefined) return null
        const words = facetWords(facet, value === NONE ? null : value, facet === 'project' ? projectName : null)
        return (
          <Button
            key={facet}
            look="quiet"
            className="border-line"
            onClick={() => onChange(without(facet))}
            aria-label={`Remove filter: ${FACET_TITLES[facet]} ${words}`}
          >
            <span className="text-ink-3">{FACET_TITLES[facet]}</span>
            <span className="max-w-40 truncate">{words}</span>
            <X aria-hidden size={12} />
          </Button>
        )
      })}
    </div>
  )
}
