import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { client } from '../../lib/api'
import { type SessionsSearch, sessionsFilter } from './sessions-search'

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
