import { type UseQueryResult, useQueries } from '@tanstack/react-query'
import { useCallback, useMemo, useState } from 'react'
import { HOUR_MS, MINUTE_MS } from '#domain/time-units'
import { type Level, type LevelFilter, levelQuery } from './level-query'
import type { LoadedLevel } from './tree-rows'
import { groupFilter, SPANS, type TreeSearch } from './tree-search'

/** Loads the open levels. Each page is its own query, refetched when the feed reports a change. */
export function useLevels(open: readonly string[], { status, q, span, agent }: TreeSearch) {
  const [pages, setPages] = useState<ReadonlyMap<string, readonly string[]>>(new Map())
  // Starts at a whole minute, or each render would need another query.
  const since =
    span === undefined
      ? undefined
      : new Date(Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - SPANS[span] * HOUR_MS).toISOString()
  const filter: LevelFilter = {
    ...groupFilter(status),
    ...(q && { q }),
    ...(agent && { agent }),
    ...(since && { since }),
  }
  const key = JSON.stringify(filter)
  const wanted = useMemo(
    () =>
      ['', ...new Set(open)].flatMap((under) => [
        { under, cursor: undefined as string | undefined },
        ...(pages.get(`${key} ${under}`) ?? []).map((cursor) => ({ under, cursor })),
      ]),
    [open, pages, key],
  )
  const combine = useCallback(
    (results: UseQueryResult<Level>[]) => {
      const levels = new Map<string, LoadedLevel>()
      for (const [at, { data }] of results.entries()) {
        const under = wanted[at]?.under
        if (under === undefined || data === undefined) continue
        const before = levels.get(under)
        levels.set(under, {
          entries: before === undefined ? data.entries : [...before.entries, ...data.entries],
          total: data.total,
          nextCursor: data.nextCursor,
        })
      }
      return {
        levels,
        error: results.find(({ error }) => error !== null)?.error ?? null,
        retry: () => results.map((one) => one.refetch()),
      }
    },
    [wanted],
  )
  const loaded = useQueries({
    queries: wanted.map(({ under, cursor }) => ({
      ...levelQuery(under, filter, cursor),
      placeholderData: (previous: Level | undefined) => previous,
    })),
    combine,
  })
  const { levels } = loaded
  /** Loads the next page of a level, once. */
  const more = useCallback(
    (under: string) => {
      const cursor = levels.get(under)?.nextCursor
      if (cursor === null || cursor === undefined) return
      setPages((now) => {
        const name = `${key} ${under}`
        const had = now.get(name) ?? []
        return had.includes(cursor) ? now : new Map(now).set(name, [...had, cursor])
      })
    },
    [levels, key],
  )
  return { ...loaded, more }
}
