import { useQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import type { Answers } from '#api/contract/operations/index'
import { DAY_MS } from '#domain/time-units'
import { client } from '../../lib/api'
import { noticeServerTime } from '../../lib/time'

export type Overview = Answers['overview']
export type Need = Overview['needs'][number]
export type Running = Overview['running'][number]
export type Finished = Overview['finished'][number]

/** Local storage key. */
const SEEN_KEY = 'lodeline.seen'
const listeners = new Set<() => void>()

function readSeen(): string {
  const kept = localStorage.getItem(SEEN_KEY)
  if (kept !== null && !Number.isNaN(Date.parse(kept))) return kept
  const first = new Date(Date.now() - DAY_MS).toISOString()
  localStorage.setItem(SEEN_KEY, first)
  return first
}

/** When the person last marked finished work as seen; initially a day ago. ISO 8601. */
export function useLastSeen(): string {
  return useSyncExternalStore((tell) => {
    listeners.add(tell)
    return () => listeners.delete(tell)
  }, readSeen)
}

/** Marks finished work up to a time as seen. @param at  ISO 8601 */
export function setLastSeen(at: string): void {
  localStorage.setItem(SEEN_KEY, at)
  for (const tell of listeners) tell()
}

/** Rows of each list at first. */
export const FIRST_ROWS = 50

/**
 * What needs the person, what is running and what finished.
 *
 * @param since  ISO 8601
 * @param limit  rows of each list
 * @param agent  only what is of this agent CLI
 */
export function useOverview(since: string, limit = FIRST_ROWS, agent?: string) {
  return useQuery({
    queryKey: ['overview', since, limit, agent ?? null],
    queryFn: async ({ signal }) => {
      const overview = await client.overview({ since, limit, agent }, { signal })
      noticeServerTime(overview.now)
      return overview
    },
    // Sessions become stuck or lost by age, without a feed entry. Milliseconds.
    refetchInterval: 30_000,
    placeholderData: (previous) => previous,
  })
}

/** Needs before the first response. An empty list from the server is a different object. */
export const NO_NEEDS: readonly Need[] = []

/** The loaded needs, for what surrounds every page. */
export function useNeeds(): readonly Need[] {
  return useOverview(useLastSeen()).data?.needs ?? NO_NEEDS
}

/** The number of all needs, loaded or not: the same in badge, panel, title and `lode status`. */
export const needCount = (overview: Overview | undefined): number =>
  Object.values(overview?.counts.needs ?? {}).reduce((sum, count) => sum + count, 0)

/** The number of all needs. */
export function useNeedCount(): number {
  return needCount(useOverview(useLastSeen()).data)
}
