import { DAY_MS, HOUR_MS } from '../time-units'
import { dayOfNumber, type ZoneDays } from './zone-days'

/** How long a period of costs is. Weeks begin on Monday. */
export const COST_STEPS = ['hour', 'day', 'week'] as const
export type CostStep = (typeof COST_STEPS)[number]

/** About how long a period is, in milliseconds: clocks are put forward and back. */
export const STEP_MS: Readonly<Record<CostStep, number>> = { hour: HOUR_MS, day: DAY_MS, week: 7 * DAY_MS }

/** Periods of one answer at most: two months of hours. */
export const MOST_COST_PERIODS = 1_500

/** Tells when the period of a time begins, both in milliseconds since the epoch. Hours are those of UTC. */
export function periodBegins(step: CostStep, days: ZoneDays): (at: number) => number {
  if (step === 'hour') return (at) => Math.floor(at / STEP_MS.hour) * STEP_MS.hour
  // To find when a day begins takes some twenty questions to its zone.
  const known = new Map<number, number>()
  return (at) => {
    const first = firstDay(step, days.numberAt(at))
    const begin = known.get(first) ?? days.beginOf(dayOfNumber(first))
    known.set(first, begin)
    return begin
  }
}

/** When the period after the one that begins then begins. */
export function beginOfNext(step: CostStep, begin: number, days: ZoneDays): number {
  if (step === 'hour') return begin + STEP_MS.hour
  return days.beginOf(dayOfNumber(firstDay(step, days.numberAt(begin)) + (step === 'day' ? 1 : 7)))
}

/** Day 0 was a Thursday. */
const firstDay = (step: 'day' | 'week', day: number): number =>
  step === 'day' ? day : day - ((((day + 3) % 7) + 7) % 7)
