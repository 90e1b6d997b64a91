import { keepPreviousData, type QueryClient, useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import type { EventId, SessionId, SubagentId } from '../../../src/domain/ids'
import { client } from './api'
import { bookOf, type RowBook, type RowPage } from './session-rows'

/** Rows of a page. */
export const PAGE_ROWS = 100
/** Pages that are kept beside those that are seen. */
const KEPT_PAGES = 20

/** One agent's lines of a session; `agent` `null` = the main thread. */
export interface Lane {
  sessionId: SessionId
  agent: SubagentId | null
}

/**
 * The newest rows change with every line, so they are asked for again at once. Pages before change only in what became of calls and agents:
 * they are of the session's topic, which is looked at less often.
 */
const endKey = ({ sessionId, agent }: Lane) => ['rows', sessionId, agent ?? 'main'] as const
const pagesKey = ({ sessionId, agent }: Lane) => ['session', sessionId, 'rows', agent ?? 'main'] as const

const input = ({ agent }: Lane) => (agent === null ? {} : { subagentId: agent })

function pageQuery(lane: Lane, page: number) {
  return {
    queryKey: [...pagesKey(lane), page] as const,
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      client.sessions.rows(lane.sessionId, { ...input(lane), from: page * PAGE_ROWS, limit: PAGE_ROWS }, { signal }),
  }
}

/** The rows around an event, once it is asked for. */
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

/** The newest rows, and how many there are. */
export function useEnd(lane: Lane) {
  return useQuery({
    queryKey: endKey(lane),
    queryFn: ({ signal }) => client.sessions.rows(lane.sessionId, { ...input(lane), limit: PAGE_ROWS }, { signal }),
  })
}

/** The first rows, for an agent that is folded in. */
export function useFirstRows(lane: Lane, limit: number) {
  return useQuery({
    queryKey: [...pagesKey(lane), 'first', limit],
    queryFn: ({ signal }) => client.sessions.rows(lane.sessionId, { ...input(lane), from: 0, limit }, { signal }),
    placeholderData: keepPreviousData,
  })
}

/**
 * All rows that are here: the newest, those around an event, and the wanted pages.
 *
 * @param wanted  numbers of pages, as many as are seen
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

  useEffect(() => {
    if (wanted.length > 0) dropOldPages(queries, lane)
  }, [queries, lane, wanted])

  return useMemo(
    () => bookOf([...(around === undefined ? [] : [around]), ...pages, ...(end === undefined ? [] : [end])], total),
    [pages, end, around, total],
  )
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

/** Pages on which these rows are, without those that the newest rows cover. */
export function pagesOf(first: number, last: number, endFrom: number): number[] {
  const pages: number[] = []
  for (let page = Math.floor(Math.max(0, first) / PAGE_ROWS); page * PAGE_ROWS <= Math.min(last, endFrom - 1); page++)
    pages.push(page)
  return pages
}
