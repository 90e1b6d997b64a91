import { keepPreviousData, type QueryClient, useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import type { EventId, SessionId, SubagentId } from '#domain/ids'
import { client } from '../../../lib/api'
import { rowsAt } from '../replay/rows-at'
import { bookOf, type RowBook, type RowPage } from '../rows/session-rows'

/** Rows per page. */
export const PAGE_ROWS = 100
/** Cached pages besides the visible ones. */
const KEPT_PAGES = 20

/** The lines of one agent in a session. `agent`: null = the main thread. */
export interface Lane {
  sessionId: SessionId
  agent: SubagentId | null
  /** Only lines up to this time, ISO 8601: the conversation as it was then. */
  until?: string | undefined
}

/**
 * The newest rows change with every line, so they have the fast topic `rows`. Earlier pages change only when calls and sub-agents finish, so
 * they belong to the topic `session`, which is refreshed less often.
 */
const endKey = ({ sessionId, agent, until }: Lane) =>
  ['rows', sessionId, agent ?? 'main', ...(until === undefined ? [] : [until])] as const
const pagesKey = ({ sessionId, agent }: Lane) => ['session', sessionId, 'rows', agent ?? 'main'] as const

const input = ({ agent }: Lane) => (agent === null ? {} : { subagentId: agent })

function pageQuery(lane: Lane, page: number) {
  return {
    queryKey: [...pagesKey(lane), page] as const,
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      client.sessions.rows(lane.sessionId, { ...input(lane), from: page * PAGE_ROWS, limit: PAGE_ROWS }, { signal }),
  }
}

/** The rows around an event; idle while `at` is null. */
export function useAround(lane: Lane, at: EventId | null) {
  return useQuery({
    queryKey: [...pagesKey(lane), 'around', at],
    queryFn: ({ signal }) =>
      client.sessions.rows(
        lane.sessionId,
        { ...input(lane), ...(at !== null && { around: at }), limit: PAGE_ROWS },
        { signal },
      ),
    enabled: at !== null,
    retry: false,
  })
}

/** The newest rows, and the number of all rows. */
export function useEnd(lane: Lane) {
  return useQuery({
    queryKey: endKey(lane),
    queryFn: ({ signal }) => {
      const { until } = lane
      const end = until === undefined ? {} : { until }
      return client.sessions.rows(lane.sessionId, { ...input(lane), ...end, limit: PAGE_ROWS }, { signal })
    },
    // While a replay goes on, the former moment stays until the next one is there.
    ...(lane.until !== undefined && { placeholderData: keepPreviousData, gcTime: 10_000 }),
  })
}

/** The first rows, for a sub-agent that is expanded inside a row. */
export function useFirstRows(lane: Lane, limit: number) {
  return useQuery({
    queryKey: [...pagesKey(lane), 'first', limit],
    queryFn: ({ signal }) => client.sessions.rows(lane.sessionId, { ...input(lane), from: 0, limit }, { signal }),
    placeholderData: keepPreviousData,
  })
}

/** Rows behind a call among which its answer is looked for. */
const NEAR_ROWS = 4

/** A row with those behind it, for a list that shows few of many. */
export function useOneRow(lane: Lane, number: number): RowPage | undefined {
  return useQuery({
    queryKey: [...pagesKey(lane), 'one', number],
    queryFn: ({ signal }) =>
      client.sessions.rows(lane.sessionId, { ...input(lane), from: number, limit: NEAR_ROWS }, { signal }),
  }).data
}

/**
 * All loaded rows: the newest, those around an event, and the wanted pages.
 *
 * @param wanted  numbers of the visible pages
 */
export function useRowBook(
  lane: Lane,
  wanted: readonly number[],
  end: RowPage | undefined,
  around: RowPage | undefined,
): RowBook {
  const queries = useQueryClient()
  const pages = useQueries({ queries: wanted.map((page) => pageQuery(lane, page)), combine })
  const total = end?.total ?? around?.total ?? 0
  const { until } = lane

  useEffect(() => {
    if (wanted.length > 0) dropOldPages(queries, lane)
  }, [queries, lane, wanted])

  return useMemo(() => {
    const newest = end === undefined || until === undefined ? end : rowsAt(end, Date.parse(until))
    return bookOf(
      [...(around === undefined ? [] : [around]), ...pages, ...(newest === undefined ? [] : [newest])],
      total,
    )
  }, [pages, end, around, total, until])
}

const combine = (results: readonly { data: RowPage | undefined }[]): RowPage[] =>
  results.flatMap(({ data }) => (data === undefined ? [] : [data]))

function dropOldPages(queries: QueryClient, lane: Lane): void {
  const unused = queries
    .getQueryCache()
    .findAll({ queryKey: pagesKey(lane), type: 'inactive' })
    .sort((a, b) => b.state.dataUpdatedAt - a.state.dataUpdatedAt)
  for (const query of unused.slice(KEPT_PAGES)) queries.removeQueries({ queryKey: query.queryKey, exact: true })
}

/** Numbers of the pages with these rows, except for rows from `endFrom` on, which are loaded with the newest. */
export function pagesOf(first: number, last: number, endFrom: number): number[] {
  const pages: number[] = []
  for (let page = Math.floor(Math.max(0, first) / PAGE_ROWS); page * PAGE_ROWS <= Math.min(last, endFrom - 1); page++)
    pages.push(page)
  return pages
}
