/**
 * Until when a run may act. Times are milliseconds of a clock that goes on while the machine sleeps (`util/process/boot-clock.ts`).
 *
 * The server counts a lease from when it renewed it, which is after the poll was sent. So what is counted here from the moment at
 * which the acknowledged poll was SENT is over first, whatever the network did to the answer.
 */
export interface LeaseTimes {
  /** From here on the run's processes stand still. */
  freezeAt: number
  /** From here on they are ended. */
  endAt: number
}

/** The part of a lease after which a run that was not renewed stands still. Renewals come each quarter: one may be lost. */
const FREEZE_AFTER = 0.6
/**
 * What lies between a run's end and that of its lease at the server: time to kill the tree (tens of milliseconds; a guard tries for 2 s
 * at most), and for clocks that do not go alike. What is ended stands still already, so nothing acts in any case.
 */
const MARGIN = 0.15
const LEAST_MARGIN_MS = 1_000

/** @param sentAt  when the poll was sent that the server acknowledged · @param leaseMs  as the server said, at least 2,000 */
export function leaseTimes(sentAt: number, leaseMs: number): LeaseTimes {
  const endAt = sentAt + leaseMs - Math.max(LEAST_MARGIN_MS, leaseMs * MARGIN)
  return { freezeAt: Math.min(sentAt + leaseMs * FREEZE_AFTER, endAt), endAt }
}
