import { bootMs } from '../../util/process/boot-clock'
import type { PausedTime } from './paused-time'

const SECOND_LOOK_MS = 50
/** Timers hold no more. */
const MAX_TIMER_MS = 2 ** 31 - 1

/**
 * Stops a run that takes longer than its task allows. Time that it stood still is none of its own.
 *
 * @param timeoutMs  `null` = as long as it likes
 * @returns what ends the watch
 */
export function startTimeout(
  timeoutMs: number | null,
  still: Pick<PausedTime, 'ms'>,
  stop: (reason: string) => void,
): () => void {
  if (timeoutMs === null || timeoutMs > MAX_TIMER_MS) return () => {}
  const beganAt = bootMs()
  // A worker that stood still itself reads what its guard said only after its timers have run: it looks twice.
  let isSecondLook = false
  const look = (): void => {
    const left = beganAt + timeoutMs + still.ms - bootMs()
    if (left <= 0 && isSecondLook) {
      stop(`it took longer than its timeout of ${Math.round(timeoutMs / 100) / 10} s`)
      return
    }
    isSecondLook = left <= 0
    timer = setTimeout(look, Math.max(left, SECOND_LOOK_MS))
  }
  let timer = setTimeout(look, timeoutMs)
  return () => clearTimeout(timer)
}
