import { type AppError, toAppError } from '../../domain/errors'
import type { HarnessRun } from '../../domain/harness/harness-run'
import type { AttemptEnd } from '../../domain/task/worker-protocol'
import type { SessionEnd } from './run-session'

/** Says what a run's end means for its attempt. Pure. */
export function attemptEnd(
  end: SessionEnd,
  harness: Pick<HarnessRun, 'outcome'>,
  { isResume, now }: { isResume: boolean; now: number },
): AttemptEnd {
  const { exit, result, stderr, apiErrors, stoppedBy, isEndedAfterWork } = end
  const known = {
    resetAt: null,
    output: result?.text ?? null,
    exitCode: exit.exitCode,
    signal: exit.signal,
    numTurns: result?.numTurns ?? null,
    costUsd: result?.costUsd ?? null,
    usage: result?.usage ?? null,
  }
  if (stoppedBy !== null) return { ...known, ...stopped(stoppedBy, isResume) }
  if (exit.by === 'deadline' && !isEndedAfterWork) {
    const reason =
      'the server did not renew the lease in time, so the run was ended before another worker could claim the task'
    return { ...known, outcome: 'failed', failureClass: 'lease_lost', reason }
  }
  if (exit.by !== 'itself' && !isEndedAfterWork) {
    const reason = `the run was ended because its worker no longer supervised it (${exit.by})`
    return { ...known, outcome: 'failed', failureClass: 'lease_lost', reason }
  }
  const outcome = harness.outcome({
    // Ended by us once its work was done: its last result tells how it went.
    exitCode: isEndedAfterWork ? 0 : exit.exitCode,
    signal: isEndedAfterWork ? null : exit.signal,
    result,
    stderr,
    apiErrors,
    isResume,
    now,
  })
  const { isOk, failureClass, reason, resetAt } = outcome
  return isOk
    ? { ...known, outcome: 'completed', failureClass: null, reason }
    : { ...known, outcome: 'failed', failureClass: failureClass ?? 'crash', reason, resetAt }
}

function stopped(
  { stop, reason }: NonNullable<SessionEnd['stoppedBy']>,
  isResume: boolean,
): Pick<AttemptEnd, 'outcome' | 'failureClass' | 'reason'> {
  switch (stop) {
    case 'pause':
      return { outcome: 'paused', failureClass: null, reason }
    case 'cancel':
      return { outcome: 'cancelled', failureClass: null, reason }
    case 'lost':
      return { outcome: 'lost', failureClass: 'lease_lost', reason }
    case 'timeout':
      return { outcome: 'failed', failureClass: 'timeout', reason }
    case 'mismatch':
      return { outcome: 'failed', failureClass: isResume ? 'resume_refused' : 'crash', reason }
  }
}

const NOTHING = {
  resetAt: null,
  output: null,
  exitCode: null,
  signal: null,
  numTurns: null,
  costUsd: null,
  usage: null,
}

/** An attempt that never ran. */
export function endBeforeRun(outcome: AttemptEnd['outcome'], reason: string): AttemptEnd {
  return { ...NOTHING, outcome, failureClass: null, reason }
}

/** What ends an attempt from outside. */
export interface Halt {
  kind: 'cancel' | 'pause' | 'shutdown' | 'lost'
  reason: string
}

/** An attempt that was halted before it ran. */
export function endBeforeBegin({ kind, reason }: Halt): AttemptEnd {
  if (kind === 'cancel') return endBeforeRun('cancelled', reason)
  return endBeforeRun(kind === 'pause' ? 'paused' : 'released', `${reason} before the run began`)
}

/** An attempt that could not be started: a wrong folder, option or CLI is not tried again, everything else is. */
export function failedStart(thrown: unknown): AttemptEnd {
  const error: AppError = toAppError(thrown)
  const isWrong = error.code === 'invalid' || error.code === 'not_found'
  // A message that ends with another program's text may have no full stop.
  const message = /[.!?]$/.test(error.message) ? error.message : `${error.message}.`
  const reason = error.hint === undefined ? error.message : `${message} ${error.hint}`
  return { ...NOTHING, outcome: 'failed', failureClass: isWrong ? 'bad_flag' : 'crash', reason: reason.slice(0, 2_000) }
}

/** For the task's log. */
export function endWords({ outcome, reason, exitCode, signal }: AttemptEnd): string {
  const how = exitCode !== null ? ` (exit code ${exitCode})` : signal !== null ? ` (${signal})` : ''
  return `${outcome}${how}: ${reason}`
}
