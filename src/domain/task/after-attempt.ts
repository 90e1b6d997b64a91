import type { FailureClass, RetryPolicy, Rung } from './task'
import type { Move } from './task-machine'
import type { AttemptRow, TaskRow } from './task-store'
import type { AttemptEnd } from './worker-protocol'

/** A usage limit that names no time is tried again after this. */
export const UNKNOWN_LIMIT_MS = 5 * 60_000
/** A reset time further away than this is taken for a mistake. */
const MAX_LIMIT_MS = 8 * 24 * 3_600_000

/**
 * Milliseconds to wait after try number `tries` (1 = the first) before the next one.
 */
export function backoffMs(policy: RetryPolicy, tries: number): number {
  const wait = policy.initialIntervalMs * policy.backoffCoefficient ** Math.max(0, tries - 1)
  return Math.round(Math.min(policy.maximumIntervalMs, wait))
}

/** When a usage limit ends, milliseconds. */
export function limitEnd(resetAt: string | null, now: number): number {
  const at = resetAt === null ? Number.NaN : Date.parse(resetAt)
  return at > now && at - now <= MAX_LIMIT_MS ? at : now + UNKNOWN_LIMIT_MS
}

/**
 * What becomes of a task in progress whose attempt was reported to have ended: the one place for it.
 *
 * A wish wins over the way in which the process ended: a run that had to stop and then crashed is paused. A `cancel` wish on a task that is
 * still in progress means that it was released, since a cancelled task is final at once.
 *
 * @param now  milliseconds
 * @param awaits  what a run that ended well has to wait for; `null` = nothing
 */
export function moveAfterAttempt(
  task: TaskRow,
  attempt: Pick<AttemptRow, 'number' | 'wish' | 'wishReason' | 'conversation'>,
  end: Pick<AttemptEnd, 'outcome' | 'failureClass' | 'reason' | 'resetAt' | 'output'>,
  now: number,
  awaits: string | null = null,
): Move {
  const which = `attempt ${attempt.number}`
  const why = (what: string): string => `${which} ${what}${end.reason === '' ? '' : `: ${end.reason}`}`
  if (end.outcome === 'completed' && awaits === null)
    return { kind: 'complete', finishedBy: 'runner', output: end.output, why: why('completed') }
  if (end.outcome === 'failed' && isFinalFailure(end.failureClass)) return failed(end, why('failed'))
  if (attempt.wish === 'pause')
    return { kind: 'pause', by: 'person', until: null, why: `${which} was stopped: ${attempt.wishReason ?? 'paused'}` }
  if (attempt.wish === 'cancel')
    return { kind: 'release', why: `${which} was stopped: ${attempt.wishReason ?? 'released'}` }
  switch (end.outcome) {
    case 'completed':
      return { kind: 'await', output: end.output, why: `${which} ended: ${awaits}` }
    case 'failed':
      return afterFailure(task, attempt, end, now, why)
    case 'paused':
      if (end.failureClass === 'usage_limit') return atLimit(end, now, why('reached a usage limit'))
      // A wish that was taken back after the worker had heard it.
      if (attempt.wishReason !== null)
        return { kind: 'park', until: now, isTry: false, why: why('was stopped and continues') }
      return { kind: 'pause', by: 'shutdown', until: null, why: why('was paused by its worker') }
    case 'released':
      return { kind: 'release', why: why('was released') }
    case 'cancelled':
      return { kind: 'cancel', why: why('was cancelled') }
    case 'lost':
      return { kind: 'lose', keepAgent: false, why: why('was lost') }
  }
}

/** Not retried: trying again would meet the same. */
const isFinalFailure = (failureClass: FailureClass | null): boolean =>
  failureClass === 'agent' ||
  failureClass === 'login' ||
  failureClass === 'bad_flag' ||
  failureClass === 'turn_limit' ||
  failureClass === 'cost_limit' ||
  failureClass === 'timeout' ||
  failureClass === 'dependency_failed'

type Ending = Pick<AttemptEnd, 'failureClass' | 'reason' | 'resetAt' | 'output'>

function afterFailure(
  task: TaskRow,
  attempt: Pick<AttemptRow, 'conversation'>,
  end: Ending,
  now: number,
  why: (what: string) => string,
): Move {
  switch (end.failureClass) {
    case 'usage_limit':
      return atLimit(end, now, why('reached a usage limit'))
    case 'prompt_too_long':
      return nextRung(task, attempt.conversation?.rung ?? null, end, true, why('has a saturated conversation'))
    case 'resume_refused':
      return nextRung(task, attempt.conversation?.rung ?? null, end, false, why('could not continue the conversation'))
    case 'lease_lost':
      return { kind: 'lose', keepAgent: false, why: why('was lost') }
    default:
      return tryAgain(task, end, now, why('failed'))
  }
}

function tryAgain(task: TaskRow, end: Ending, now: number, why: string): Move {
  const { maximumAttempts } = task.retryPolicy
  const tries = task.triesUsed + 1
  if (tries >= maximumAttempts)
    return failed(end, maximumAttempts > 1 ? `${why} (try ${tries} of ${maximumAttempts})` : why)
  const until = now + backoffMs(task.retryPolicy, tries)
  return { kind: 'park', until, isTry: true, why: `${why} (try ${tries} of ${maximumAttempts})` }
}

/** The rung below the one that did not hold; below `fresh` there is none. */
function nextRung(task: TaskRow, rung: Rung | null, end: Ending, isTry: boolean, why: string): Move {
  const below = rungBelow(rung, task.startRung)
  const tries = task.triesUsed + (isTry ? 1 : 0)
  if (below === null || tries >= task.retryPolicy.maximumAttempts) return failed(end, why)
  const how = below === 'preamble' ? 'a new one with a summary' : 'a fresh one'
  return { kind: 'fall', startRung: below, isTry, why: `${why}; continues in ${how}` }
}

export function rungBelow(rung: Rung | null, startRung: TaskRow['startRung']): 'preamble' | 'fresh' | null {
  const from = rung ?? startRung ?? 'native'
  if (from === 'fresh') return null
  return from === 'preamble' ? 'fresh' : 'preamble'
}

const atLimit = (end: Ending, now: number, why: string): Move => ({
  kind: 'pause',
  by: 'limit',
  until: limitEnd(end.resetAt, now),
  why,
})

const failed = (end: Ending, why: string): Move => ({
  kind: 'fail',
  finishedBy: end.failureClass === 'agent' ? 'agent' : 'runner',
  failureClass: end.failureClass ?? 'crash',
  failureReason: end.reason === '' ? why : end.reason,
  output: end.output,
  why,
})
