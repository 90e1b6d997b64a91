import { MINUTE_MS } from '../../domain/time-units'

/** A try that is under way is nobody else's for this long. */
export const TRY_MS = MINUTE_MS
const LONGEST_WAIT_MS = 10 * MINUTE_MS

/** Milliseconds from a failed try to the next one: `firstMs` after the first, then twice the wait before, up to ten minutes. */
export const waitAfter = (tries: number, firstMs: number): number =>
  Math.min(firstMs * 2 ** (tries - 1), LONGEST_WAIT_MS)
