import type { RunEnd, RunOutcome } from '../../../domain/harness/harness-run'
import { boundOutcome } from '../../../domain/harness/run-bounds'
import type { FailureClass } from '../../../domain/task/task'
import { clip } from '../../json-lines/text'

/** Reasons are one sentence for a person; text of the CLI in them is cut to this many characters. */
const SAID_LIMIT = 500

/** Limits of an account; a limit of requests in a minute is none: the CLI tries again by itself. */
const LIMIT =
  /^\s*402\b|usage limit|usage_limit|UsageLimitError|insufficient_quota|exceeded your (?:current|monthly) quota|quota[ _](?:has been )?exceeded|credit balance is too low|insufficient (?:balance|credits|funds)|out of credits|spend(?:ing)? limit/i

/** Whether a text says that a limit of the account was met. */
export const isUsageLimit = (text: string): boolean => LIMIT.test(text)

interface Rule {
  failureClass: FailureClass
  pattern: RegExp
  reason: string
  /** What to do, added behind what the CLI said. */
  advice?: string
  /** Only for runs that were to continue a conversation. */
  onlyResume?: boolean
}

/** Texts of failed turns begin with the status of the provider where there is one: `401 APIError: …`. The first that fits counts. */
const RULES: readonly Rule[] = [
  { failureClass: 'usage_limit', pattern: LIMIT, reason: 'A usage limit of the account was reached' },
  {
    failureClass: 'login',
    pattern:
      /^\s*(?:401|403)\b|ProviderAuthError|invalid_api_key|incorrect api key|API key is missing|unauthorized|auth_required/i,
    reason: 'The provider of the model refused the login',
    advice: '. Run `opencode auth login` on that machine, or set the key of its provider for the worker; then retry',
  },
  {
    failureClass: 'prompt_too_long',
    pattern:
      /^\s*413\b|ContextOverflow|context_length_exceeded|maximum context|context (?:window|length)|prompt is too long|too many tokens/i,
    reason: 'The conversation is too long for the model',
  },
  {
    failureClass: 'bad_flag',
    pattern:
      /^\s*404\b|model not found|ModelNotFound|model_not_found|model .{0,200}does not exist|ProviderModelNotFoundError/i,
    reason: "The model can't be used",
    advice: ". Change the task's model and retry",
  },
  {
    failureClass: 'overloaded',
    pattern:
      /^\s*(?:408|429|5\d\d)\b|overloaded|rate.?limit|too many requests|Internal server error|Service Unavailable|connect|ECONN|ETIMEDOUT|ENOTFOUND|socket|fetch failed|timed? ?out|network|Transport error/i,
    reason: "The model's API did not respond",
  },
  {
    failureClass: 'resume_refused',
    pattern: /^\s*400\b/,
    reason: "The model's API rejected the conversation",
    onlyResume: true,
  },
  { failureClass: 'bad_flag', pattern: /^\s*4\d\d\b/, reason: "The model's API refused the request" },
]

/** What the end of a run means. The CLI ends with 0 also where its model refused: the last turn decides. */
export function outcome({ result, exitCode, signal, stderr, isResume }: RunEnd): RunOutcome {
  if (result !== null && !result.isError && exitCode === 0)
    return { isOk: true, failureClass: null, reason: 'done', resetAt: null }
  if (result?.isError)
    return boundOutcome(result.subtype) ?? failed(result.subtype, oneLine(result.errors.join(' ')), isResume)
  const how = signal === null ? `ended with exit code ${exitCode}` : `was killed by ${signal}`
  const why = stderr.trim().split('\n').findLast(isSaid)?.trim() ?? ''
  return of('crash', `opencode ${how}${result ? ' after its result' : ''}${why === '' ? '' : `: ${oneLine(why)}`}`)
}

/** @param kind  `subtype` of the result */
function failed(kind: string, said: string, isResume: boolean): RunOutcome {
  const because = said === '' ? '' : `: ${said.replace(/[.\s]+$/, '')}`
  switch (kind) {
    case 'interrupted':
      return of('crash', 'The turn was interrupted before it finished')
    case 'resume_refused':
      return of('resume_refused', `opencode could not continue the conversation${because}`)
    case 'setup':
      return of('bad_flag', `The run could not begin${because}`)
    default: {
      const rule = RULES.find(({ pattern, onlyResume }) => (onlyResume !== true || isResume) && pattern.test(said))
      if (rule === undefined) return of('crash', `The turn failed${because || ' without a reason'}`)
      return of(rule.failureClass, `${rule.reason}${because}${rule.advice ?? ''}`)
    }
  }
}

/** The CLI notes each answer to our plugin: it knows no such request. */
const isSaid = (line: string): boolean => line.trim() !== '' && !/lodeline|^[\s{}[\],]+$/.test(line)

const oneLine = (text: string): string => clip(text.replace(/\s+/g, ' ').trim(), SAID_LIMIT)

const of = (failureClass: FailureClass, reason: string): RunOutcome => ({
  ...{ isOk: false, failureClass, reason: `${reason.replace(/[.\s]+$/, '')}.`, resetAt: null },
})
