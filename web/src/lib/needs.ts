import { useQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import type { ResponseOf } from '../../../src/api/contract/responses'
import { client } from './api'
import { noticeServerTime } from './time'

export type Overview = ResponseOf<'overview'>
export type Need = Overview['needs'][number]
export type Running = Overview['running'][number]
export type Finished = Overview['finished'][number]

const SEEN_KEY = 'lodeline.seen'
const listeners = new Set<() => void>()

function readSeen(): string {
  const kept = localStorage.getItem(SEEN_KEY)
  if (kept !== null && !Number.isNaN(Date.parse(kept))) return kept
  const first = new Date(Date.now() - 86_400_000).toISOString()
  localStorage.setItem(SEEN_KEY, first)
  return first
}

/** When the person last said that they had seen what finished; a day ago at first. ISO 8601. */
export function useLastSeen(): string {
  return useSyncExternalStore((tell) => {
    listeners.add(tell)
    return () => listeners.delete(tell)
  }, readSeen)
}

export function setLastSeen(at: string): void {
  localStorage.setItem(SEEN_KEY, at)
  for (const tell of listeners) tell()
}

/** Of each list, until the person asks for more. */
export const FIRST_ROWS = 50

/** What needs the person, what runs and what finished since they last looked. @param limit  of each list */
export function useOverview(since: string, limit = FIRST_ROWS) {
  return useQuery({
    queryKey: ['overview', since, limit],
    queryFn: async ({ signal }) => {
      const overview = await client.overview({ since, limit }, { signal })
      noticeServerTime(overview.now)
      return overview
    },
    // Ages make things stuck or lost without an entry of the feed.
    refetchInterval: 30_000,
    placeholderData: (previous) => previous,
  })
}

/** Nothing is known yet; an empty list that the server gave is another. */
export const NO_NEEDS: readonly Need[] = []

/** What needs the person, as far as it is loaded, for what stands around every page. */
export function useNeeds(): readonly Need[] {
  return useOverview(useLastSeen()).data?.needs ?? NO_NEEDS
}

/** How much needs the person: the one number of badge, panel, title and `lode status`, however many of them are loaded. */
export const needCount = (overview: Overview | undefined): number =>
  Object.values(overview?.counts.needs ?? {}).reduce((sum, count) => sum + count, 0)

export function useNeedCount(): number {
  return needCount(useOverview(useLastSeen()).data)
}
