import type { RunEnd, RunOutcome } from '../../../domain/harness/harness-run'
import { boundOutcome } from '../../../domain/harness/run-bounds'
import type { FailureClass } from '../../../domain/task/task'
import { clip } from '../../json-lines/text'

/** A limit of a month is the longest. */
const LONGEST_LIMIT_MS = 40 * 86_400_000

/** @see HarnessRun.outcome */
export function outcome({ result, exitCode, signal, stderr, isResume, now }: RunEnd): RunOutcome {
  if (result !== null && !result.isError && exitCode === 0)
    return { isOk: true, failureClass: null, reason: 'done', resetAt: null }
  if (result?.isError) {
    const said = clip(result.errors.join(' ').replace(/\s+/g, ' ').trim(), 500)
    const known = boundOutcome(result.subtype) ?? failed(result.subtype, said, result.terminalReason, now)
    return (
      known ??
      byText(said, isResume) ??
      of('crash', `The turn failed${said === '' ? ' without a reason' : `: ${said}`}`)
    )
  }
  const how = signal === null ? `ended with exit code ${exitCode}` : `was killed by ${signal}`
  const why = stderr.trim().split('\n').at(-1)?.trim() ?? ''
  return of('crash', `Codex ${how}${result ? ' after its result' : ''}${why === '' ? '' : `: ${clip(why, 500)}`}`)
}

/** @param kind  `subtype` of the result; see `errorKind`. @returns `null` for a kind that says nothing */
function failed(kind: string, said: string, reset: string | null, now: number): RunOutcome | null {
  const because = said === '' ? '' : `: ${said}`
  switch (kind) {
    case 'resume_refused':
      return of('resume_refused', `Codex could not continue the conversation${because}`)
    case 'interrupted':
      return of('crash', 'The turn was interrupted before it finished')
    case 'usageLimitExceeded':
    case 'sessionBudgetExceeded': {
      const at = reset === null ? resetTimeIn(said, now) : Date.parse(reset)
      const isInReach = at !== null && at > now && at < now + LONGEST_LIMIT_MS
      const resetAt = isInReach ? new Date(at).toISOString() : null
      return { ...of('usage_limit', `A usage limit of the account was reached${because}`), resetAt }
    }
    case 'contextWindowExceeded':
      return of('prompt_too_long', `The conversation is too long for the model${because}`)
    case 'unauthorized':
      return of('login', `Codex has no valid login${because}. Run 'codex login' on the worker's machine`)
    case 'modelNotFound':
    case 'badRequest':
      return of('bad_flag', `The model's API refused the request${because}`)
    case 'cyberPolicy':
    case 'misalignmentPolicyViolation':
    case 'tooManyDenials':
    case 'inferenceHookDenied':
      return of('agent', `The model's provider refused the work${because}`)
    case 'rateLimitExceeded':
    case 'serverOverloaded':
    case 'flexUnavailable':
    case 'policyCapacityUnavailable':
    case 'internalServerError':
      return of('overloaded', `The model's API is overloaded${because}`)
    default:
      return null
  }
}

const of = (failureClass: FailureClass, reason: string): RunOutcome => ({
  isOk: false,
  failureClass,
  reason: `${reason.replace(/[.\s]+$/, '')}.`,
  resetAt: null,
})

/** Where the CLI gives no kind: what providers other than its own say. */
function byText(said: string, isResume: boolean): RunOutcome | null {
  if (/context (?:window|length)|maximum context|too many tokens/i.test(said))
    return of('prompt_too_long', `The conversation is too long for the model: ${said}`)
  if (/insufficient_quota|exceeded your current quota|usage limit/i.test(said))
    return of('usage_limit', `A usage limit of the account was reached: ${said}`)
  if (/stream disconnected|connection|timed? ?out/i.test(said))
    return of('overloaded', `The model's API was not reached: ${said}`)
  // The answer to a request that the API does not take (400) is passed on as it is.
  const refusal = /^\{.*"message":\s*"((?:[^"\\]|\\.)*)"/.exec(said)?.[1]?.replace(/\\(["\\/])/g, '$1')
  if (refusal === undefined) return null
  return isResume
    ? of('resume_refused', `The model's API rejected the conversation: ${refusal}`)
    : of('bad_flag', `The model's API refused the request: ${refusal}`)
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
  if (status === 401 || status === 403) return 'unauthorized'
  if (status === 400 || status === 404 || status === 405 || status === 422) return 'badRequest'
  if (status === 413) return 'contextWindowExceeded'
  return 'serverOverloaded'
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
  const end = at.getTime() + 60_000
  return month === undefined && end <= now ? end + 86_400_000 : end
}
