import type { RunEnd, RunOutcome, RunResult } from '../../../domain/harness/harness-run'
import { boundOutcome } from '../../../domain/harness/run-bounds'
import { ownValue } from '../../../domain/own-value'
import { DAY_MS, MINUTE_MS } from '../../../domain/time-units'
import { failureOf, type ModelFailure, modelFailure, statusIn } from '../../failures/model-failure'
import { DONE, deadProcess, INTERRUPTED, notContinued, turnFailed } from '../../failures/outcomes'
import { isInReach } from '../../failures/usage-limit'

const LOGIN_HINT =
  "Run 'codex login' on the worker's machine, or set the key of its provider for the worker; then retry."

/** @see HarnessRun.outcome */
export function outcome(end: RunEnd): RunOutcome {
  const { result, exitCode } = end
  if (result === null || (!result.isError && exitCode !== 0)) return deadProcess('Codex', end)
  return result.isError ? (boundOutcome(result.subtype) ?? ofResult(result, end)) : DONE
}

/** By the kind of the error, `subtype` of the result; see `errorKind`. Kinds that say nothing leave it to the words. */
function ofResult({ subtype, errors, terminalReason }: RunResult, { isResume, now }: RunEnd): RunOutcome {
  const said = errors.join(' ')
  const context = { isResume, now, loginHint: LOGIN_HINT }
  switch (subtype) {
    case 'resume_refused':
      return notContinued('Codex', said)
    case 'interrupted':
      return INTERRUPTED
    case 'usageLimitExceeded':
    case 'sessionBudgetExceeded':
      return atLimit(failureOf('usage_limit', said, context), terminalReason, said, now)
    default: {
      const kind = ownValue(KINDS, subtype)
      return (
        (kind === undefined ? modelFailure(said, context, statusOf(subtype, said)) : failureOf(kind, said, context)) ??
        turnFailed(said)
      )
    }
  }
}

/** The answer to a request that the API does not take (400) is passed on as it is, without a kind. */
function statusOf(kind: string, said: string): number | null {
  const told = /^http (\d{3})$/.exec(kind)?.[1]
  if (told !== undefined) return Number(told)
  return kind === 'badRequest' || said.trimStart().startsWith('{') ? 400 : statusIn(said)
}

const KINDS: Readonly<Record<string, ModelFailure>> = {
  http: 'away',
  contextWindowExceeded: 'too_long',
  unauthorized: 'login',
  modelNotFound: 'bad_model',
  cyberPolicy: 'refused',
  misalignmentPolicyViolation: 'refused',
  tooManyDenials: 'refused',
  inferenceHookDenied: 'refused',
  rateLimitExceeded: 'busy',
  serverOverloaded: 'failed',
  flexUnavailable: 'busy',
  policyCapacityUnavailable: 'busy',
  internalServerError: 'failed',
}

/** @param reset  ISO 8601: when the account says that its limit ends; else the words may */
function atLimit(limit: RunOutcome, reset: string | null, said: string, now: number): RunOutcome {
  const at = reset === null ? resetTimeIn(said, now) : Date.parse(reset)
  return { ...limit, resetAt: at !== null && isInReach(at, now) ? new Date(at).toISOString() : limit.resetAt }
}

/**
 * The kind of an error: a word of the CLI's own, or for an HTTP error what its status means.
 *
 * @param info  `codexErrorInfo`
 */
export function errorKind(info: unknown): string {
  if (typeof info === 'string') return info
  if (typeof info !== 'object' || info === null) return 'other'
  const [[name, value] = ['other', null]] = Object.entries(info)
  if (!/^(?:http|response)/.test(name)) return name
  const status: unknown = (value as { httpStatusCode?: unknown } | null)?.httpStatusCode
  // No answer, or one that broke off.
  return typeof status === 'number' ? `http ${status}` : 'http'
}

/** `try again at 9:33 PM`, or `at Nov 24th, 2026 9:33 PM`: in the time of the machine, to the minute. */
export function resetTimeIn(said: string, now: number): number | null {
  const found = /try again at (?:([A-Z][a-z]{2}) (\d{1,2})(?:st|nd|rd|th)?, (\d{4}) )?(\d{1,2}):(\d{2}) ([AP])M/.exec(
    said,
  )
  if (found === null) return null
  const [, month, day, year, hour, minute, half] = found
  const at = month === undefined ? new Date(now) : new Date(`${month} ${day}, ${year}`)
  at.setHours((Number(hour) % 12) + (half === 'P' ? 12 : 0), Number(minute), 0, 0)
  // It names the minute that the limit ends in.
  const end = at.getTime() + MINUTE_MS
  return month === undefined && end <= now ? end + DAY_MS : end
}
