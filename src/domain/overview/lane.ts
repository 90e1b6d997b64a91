import type { Cost } from '../cost/price'
import type { Running } from './overview'

/** How long lanes go back at most, in minutes. */
export const MOST_LANE_MINUTES = 1_440
/** Parts of equal length that the time of lanes is split into. */
export const LANE_PARTS = 120

/** What is at work, and when it was in the time that is looked at. Times are ISO 8601. */
export interface Lane extends Running {
  /** Lines recorded in each part of the time, of all its agents. The last part holds now. */
  lines: number[]
  /** When its run waited for a person's answer; `to` is null while it does. */
  waits: { from: string; to: string | null }[]
  /** The usage of its session's messages that were recorded in the last hour. */
  lastHour: Cost
}

export interface Lanes {
  /** When the first part begins. */
  since: string
  partMs: number
  /** Counts all at work; lanes are cut at the limit. */
  total: number
  lanes: Lane[]
}
