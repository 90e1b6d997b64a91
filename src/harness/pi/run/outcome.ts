import type { RunEnd, RunOutcome } from '../../../domain/harness/harness-run'
import { boundOutcome } from '../../../domain/harness/run-bounds'
import type { FailureClass } from '../../../domain/task/task'
import { clip } from '../../json-lines/text'
import { readUsageLimit } from './usage-limit'

/** Reasons are one sentence for a person; text of the CLI in them is cut to this many characters. */
const SAID_LIMIT = 500

interface Rule {
  failureClass: FailureClass
  pattern: RegExp
  reason: string
  /** What to do, added behind what the CLI said. */
  advice?: string
  /** Only for runs that were to continue a conversation. */
  onlyResume?: boolean
}

/**
 * Texts of failed answers, which begin with the status of the provider (`401: {…}`), and of stderr. The first that fits counts.
 */
const RULES: readonly Rule[] = [
  {
    failureClass: 'resume_refused',
    pattern:
      /No session found|not a valid pi session|Cannot fork|Stored session working directory|already exists with id/i,
    reason: 'The conversation could not be continued',
  },
  {
    failureClass: 'login',
    pattern:
      /^\s*(?:401|403)\b|No API key|invalid_api_key|authentication_error|Unauthorized|OAuth token|token (?:has )?expired|not logged in|\/login/im,
    reason: 'The agent is not logged in',
    advice: ' Run `pi` on that machine and `/login`, or set the key of its provider for the worker; then retry.',
  },
  {
    failureClass: 'prompt_too_long',
    pattern:
      /context_length_exceeded|maximum context length|context (?:window|length)|prompt is too long|input is too long|too many tokens|request_too_large/i,
    reason: 'The conversation is too long for the model',
  },
  {
    failureClass: 'bad_flag',
    pattern:
      /Model ".{1,200}" not found|No models? (?:available|selected)|^\s*404\b|model_not_found|Unknown option|Invalid .{1,40} option/im,
    reason: "The model or an argument can't be used",
    advice: " Change the task's model and retry.",
  },
  {
    failureClass: 'overloaded',
    pattern:
      /^\s*(?:408|429|5\d\d)\b|overloaded|rate.?limit|too many requests|Internal server error|Service Unavailable|Connection error|ECONNRE(?:SET|FUSED)|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EPIPE|socket hang up|fetch failed|timed? ?out|terminated|network|stream ended/im,
    reason: "The model's API did not respond",
  },
  {
    failureClass: 'resume_refused',
    pattern: /^\s*400\b|invalid_request_error/im,
    reason: "The model's API rejected the conversation",
    onlyResume: true,
  },
  { failureClass: 'bad_flag', pattern: /^\s*4\d\d\b/m, reason: "The model's API refused the request" },
]

/**
 * What the end of a run means. The CLI ends with 0 also where its model refused: the last answer decides. A result without a turn is no
 * success: the model was never asked.
 */
export function outcome(end: RunEnd): RunOutcome {
  const { result, exitCode, signal } = end
  if (result?.isError) return failedWithResult(end)
  if (result && exitCode === 0)
    return result.numTurns === 0
      ? failed('agent', 'The prompt did not reach the model.')
      : { isOk: true, failureClass: null, reason: 'done', resetAt: null }
  if (signal !== null) return failed('crash', `The agent's CLI was killed by ${signal}.`)
  const known = exitCode === 0 ? undefined : fromTexts(end, [end.stderr, ...end.apiErrors.toReversed()])
  if (known !== undefined) return known
  const how = exitCode === null ? 'ended' : `ended with exit code ${exitCode}`
  const why = end.stderr.trim().split('\n').at(-1)?.trim() ?? ''
  return failed(
    'crash',
    `The agent's CLI ${how} ${result ? 'after its' : 'without a'} result${why === '' ? '.' : `: ${sentence(why)}`}`,
  )
}

function failedWithResult(end: RunEnd): RunOutcome {
  const { result } = end
  const known =
    boundOutcome(result?.subtype) ?? fromTexts(end, [...(result?.errors ?? []), ...end.apiErrors.toReversed()])
  if (known !== undefined) return known
  if (result?.terminalReason === 'aborted')
    return failed('crash', "The agent's turn was interrupted before it finished.")
  const said = (result?.errors ?? []).join(' ')
  return failed(
    'crash',
    said === '' ? 'The agent failed without giving a reason.' : `The agent failed: ${sentence(said)}`,
  )
}

/** The first text that says why. */
function fromTexts(end: RunEnd, texts: readonly string[]): RunOutcome | undefined {
  for (const text of texts) {
    const shown = text.slice(0, 20_000)
    const limit = readUsageLimit(shown, end.now)
    if (limit !== null) {
      const resetAt = limit.resetAt === null ? null : new Date(limit.resetAt).toISOString()
      const until = resetAt === null ? '.' : `; it resets at ${resetAt}.`
      return { ...failed('usage_limit', `A usage limit of the account was reached: ${quoted(shown)}${until}`), resetAt }
    }
    const rule = RULES.find(({ pattern, onlyResume }) => (onlyResume !== true || end.isResume) && pattern.test(shown))
    if (rule !== undefined) return failed(rule.failureClass, `${rule.reason}: ${sentence(shown)}${rule.advice ?? ''}`)
  }
  return undefined
}

const failed = (failureClass: FailureClass, reason: string): RunOutcome => ({
  ...{ isOk: false, failureClass, reason, resetAt: null },
})

/** What the CLI said, as one line. */
function quoted(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return (line.length > SAID_LIMIT ? `${clip(line, SAID_LIMIT - 1)}…` : line).replace(/[.\s]+$/, '')
}

const sentence = (text: string): string => `${quoted(text)}.`
