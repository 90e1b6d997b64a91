import { useSearch } from '@tanstack/react-router'
import { History } from 'lucide-react'
import { useCallback, useMemo, useState } from 'react'
import { Link } from '../components/link'
import { NothingRecorded } from '../components/nothing-recorded'
import { PageHead } from '../components/page-head'
import { SavedViews } from '../components/saved-views'
import { Empty, Loading } from '../components/ui/empty'
import { ErrorCard } from '../components/ui/error-card'
import { type DaySearch, dayPath } from '../features/day/day-search'
import { FacetList } from '../features/sessions/facet-list'
import { density, SessionsFilters } from '../features/sessions/sessions-filters'
import { countSessions, useFacets, useSessions } from '../features/sessions/sessions-query'
import { NONE, parseSessionsSearch, type SessionsSearch, sessionsPath } from '../features/sessions/sessions-search'
import { SessionsTable } from '../features/sessions/sessions-table'
import { counted } from '../lib/format'
import { useGo } from '../lib/links'
import { parseSearch, type Search } from '../lib/search'

/** All recorded sessions, narrowed and sorted by the address. */
export function SessionsPage() {
  const words: Search = useSearch({ strict: false })
  const search = useMemo(() => parseSessionsSearch(words), [words])
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useSessions(search)
  const facets = useFacets(search).data
  const go = useGo()
  const show = useCallback((next: SessionsSearch) => go(sessionsPath(next), { replace: true }), [go])
  const more = useCallback(() => void fetchNextPage(), [fetchNextPage])
  const sessions = useMemo(() => data?.pages.flatMap((page) => page.sessions) ?? [], [data])
  const [areFacetsOpen, setFacetsOpen] = useState(false)
  const isDense = density.useChoice() === 'dense'
  const isNarrowed = Object.keys(search).some((name) => name !== 'sort' && name !== 'ascending')
  const project = facets?.facets.project.find(({ value }) => value === search.project)
  return (
    <>
      <PageHead
        title="Sessions"
        below={facets === undefined || search.status !== undefined ? undefined : counted(facets.total, 'session')}
        actions={
          <>
            <Link
              to={dayPath(dayOf(search))}
              className="inline-flex h-7 shrink-0 items-center gap-1.5 whitespace-nowrap rounded border border-line bg-panel px-2.5 text-xs font-medium hover:bg-hover max-md:h-9"
            >
              <History aria-hidden size={13} />
              Replay a day
            </Link>
            <SavedViews
              list="sessions"
              search={sessionsPath(search).slice('/sessions'.length)}
              count={countSessions}
              project={
                project === undefined || project.value === null
                  ? undefined
                  : { id: project.value, name: project.label ?? project.value }
              }
              onOpen={(wanted) => show(parseSessionsSearch(parseSearch(wanted)))}
            />
          </>
        }
      />
      <SessionsFilters
        search={search}
        projectName={project?.label ?? null}
        areFacetsOpen={areFacetsOpen}
        onFacets={() => setFacetsOpen(!areFacetsOpen)}
        onChange={show}
      />
      {error !== null && data === undefined ? <ErrorCard error={error} onRetry={() => void refetch()} /> : null}
      {data === undefined && error === null ? <Loading what="Reading sessions" /> : null}
      {data === undefined ? null : (
        <div className="flex min-h-0 flex-1 max-lg:flex-col">
          {facets === undefined || (facets.total === 0 && !isNarrowed) ? null : (
            <aside
              aria-label="Filters"
              className={`scrolls w-52 shrink-0 border-line lg:border-r max-lg:max-h-1/2 max-lg:w-full max-lg:border-b ${areFacetsOpen ? '' : 'max-lg:hidden'}`}
            >
              <FacetList search={search} facets={facets.facets} onChange={show} />
            </aside>
          )}
          {sessions.length === 0 && !hasNextPage ? (
            <div className="min-w-0 flex-1">
              <NoSessions isNarrowed={isNarrowed} />
            </div>
          ) : (
            <SessionsTable
              sessions={sessions}
              search={search}
              isDense={isDense}
              hasMore={hasNextPage}
              isAsking={isFetchingNextPage}
              onMore={more}
              onChange={show}
            />
          )}
        </div>
      )}
    </>
  )
}

/** What of the filters a day knows too. */
const dayOf = ({ project, agent }: SessionsSearch): DaySearch => ({
  ...(project !== undefined && project !== NONE && { project }),
  ...(agent !== undefined && { agent }),
})

function NoSessions({ isNarrowed }: { isNarrowed: boolean }) {
  if (isNarrowed)
    return (
      <Empty title="No sessions match these filters.">
        <p>Remove a filter to see more.</p>
      </Empty>
    )
  return <NothingRecorded />
}
