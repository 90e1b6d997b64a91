import { keepPreviousData } from '@tanstack/react-query'
import type { Answers } from '#api/contract/operations/index'
import { client } from '../../../lib/api'

export type Lanes = Answers['lanes']
export type Lane = Lanes['lanes'][number]

/** How far back lanes are shown, in minutes, with the name of the choice. */
export const LANE_SPANS = [
  [15, '15 min'],
  [60, '1 h'],
  [360, '6 h'],
  [1_440, '24 h'],
] as const
export type LaneMinutes = (typeof LANE_SPANS)[number][0]

const besides = (minutes: LaneMinutes, by: 1 | -1): LaneMinutes =>
  LANE_SPANS[LANE_SPANS.findIndex(([known]) => known === minutes) + by]?.[0] ?? minutes
/** The next span; the same where there is none. */
export const longer = (minutes: LaneMinutes): LaneMinutes => besides(minutes, 1)
export const shorter = (minutes: LaneMinutes): LaneMinutes => besides(minutes, -1)

/** Refetch interval: lines come by the hundred, and a part of the time is longer. Milliseconds. */
const LANES_REFETCH_MS = 5_000
/** Lanes shown at most. */
const MOST_LANES = 200

export const lanesQuery = (minutes: LaneMinutes) =>
  ({
    queryKey: ['fleet', 'lanes', minutes],
    queryFn: ({ signal }: { signal: AbortSignal }) => client.lanes({ minutes, limit: MOST_LANES }, { signal }),
    refetchInterval: LANES_REFETCH_MS,
    // While another span is read the lanes stay where they are.
    placeholderData: keepPreviousData,
  }) as const
