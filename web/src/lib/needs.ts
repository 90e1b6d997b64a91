import { useQuery } from '@tanstack/react-query'
import type { ResponseOf } from '../../../src/api/contract/responses'
import { client } from './api'

export type Overview = ResponseOf<'overview'>
export type Need = Overview['needs'][number]
export type Running = Overview['running'][number]
export type Finished = Overview['finished'][number]

const SEEN_KEY = 'lodeline.seen'

/** When the person last said that they had seen what finished; a day ago at first. ISO 8601. */
export function lastSeen(): string {
  const kept = localStorage.getItem(SEEN_KEY)
  if (kept !== null && !Number.isNaN(Date.parse(kept))) return kept
  const first = new Date(Date.now() - 86_400_000).toISOString()
  localStorage.setItem(SEEN_KEY, first)
  return first
}

export const setLastSeen = (at: string): void => localStorage.setItem(SEEN_KEY, at)

/** What needs the person, what runs and what finished since they last looked. */
export function useOverview(since: string) {
  return useQuery({
    queryKey: ['overview', since],
    queryFn: ({ signal }) => client.overview({ since }, { signal }),
    // Ages make things stuck or lost without an entry of the feed.
    refetchInterval: 30_000,
    placeholderData: (previous) => previous,
  })
}

const NONE: Need[] = []

/** What needs the person, for what stands around every page. */
export function useNeeds(): readonly Need[] {
  return useOverview(lastSeen()).data?.needs ?? NONE
}
