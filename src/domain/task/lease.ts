import { MINUTE_MS } from '../time-units'

/**
 * Until when a run may act. Times are milliseconds of a clock that goes on while the machine sleeps (`util/process/boot-clock.ts`).
 *
 * The server counts a lease from when it renewed it, which is after the poll was sent. So what is counted here from the moment at
 * which the acknowledged poll was SENT is over first, whatever the network did to the answer.
 */
export interface LeaseTimes {
  /** From here on the run's processes stand still. */
  freezeAt: number
  /** From here on the server may give the task to another worker: what has not begun must not begin any more. */
  overAt: number
  /** From here on processes that stand still are ended. */
  endAt: number
}

/** The part of a lease after which a run that was not renewed stands still. Renewals come each quarter: one may be lost. */
const FREEZE_AFTER = 0.6
/** What lies between the end of a lease as it is counted here and as the server counts it: for clocks that do not go alike. */
const MARGIN = 0.15
const LEAST_MARGIN_MS = 1_000
/**
 * So long a run stands still beyond its lease. Nothing acts meanwhile, and whether it has been lost only the server can tell: one that lost
 * its database gives every lease its full length when it is back.
 */
const KEPT_MS = 10 * MINUTE_MS

/** @param sentAt  when the poll was sent that the server acknowledged · @param leaseMs  as the server said, at least 2,000 */
export function leaseTimes(sentAt: number, leaseMs: number): LeaseTimes {
  const overAt = sentAt + leaseMs - Math.max(LEAST_MARGIN_MS, leaseMs * MARGIN)
  return { freezeAt: Math.min(sentAt + leaseMs * FREEZE_AFTER, overAt), overAt, endAt: overAt + KEPT_MS }
}
