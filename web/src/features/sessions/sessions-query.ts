import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { ViewCount } from '../../components/saved-views'
import { client } from '../../lib/api'
import { parseSearch } from '../../lib/search'
import { parseSessionsSearch, type SessionsSearch, sessionsFilter } from './sessions-search'

/** Sessions per page of the list. */
const PAGE_SESSIONS = 60

/** The list, page by page. */
export const useSessions = (search: SessionsSearch) =>
  useInfiniteQuery({
    queryKey: ['sessions', 'list', search],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => {
      const { status, sort, ascending } = search
      return client.sessions.list(
        {
          ...sessionsFilter(search),
          ...(status !== undefined && { status: [status] }),
          ...(sort !== undefined && { sort }),
          ...(ascending !== undefined && { ascending }),
          limit: PAGE_SESSIONS,
          ...(pageParam !== undefined && { cursor: pageParam }),
        },
        { signal },
      )
    },
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    placeholderData: keepPreviousData,
  })

/** How many sessions there are, facet by facet. */
export const useFacets = (search: SessionsSearch) => {
  const filter = sessionsFilter(search)
  return useQuery({
    queryKey: ['sessions', 'facets', filter],
    queryFn: ({ signal }) => client.sessions.facets(filter, { signal }),
    placeholderData: keepPreviousData,
  })
}

/** Sessions that are counted where the status, which is derived, has a say. */
const COUNTED = 100

/** How many sessions a saved view has. */
export async function countSessions(search: string, signal: AbortSignal): Promise<ViewCount> {
  const wanted = parseSessionsSearch(parseSearch(search))
  if (wanted.status === undefined)
    return { rows: (await client.sessions.facets(sessionsFilter(wanted), { signal })).total, isMore: false }
  const request = { ...sessionsFilter(wanted), status: [wanted.status], limit: COUNTED }
  const { sessions, nextCursor } = await client.sessions.list(request, { signal })
  return { rows: sessions.length, isMore: nextCursor !== null }
}
