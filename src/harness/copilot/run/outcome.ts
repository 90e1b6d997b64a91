import type { RunEnd, RunOutcome } from '../../../domain/harness/harness-run'
import { boundOutcome } from '../../../domain/harness/run-bounds'
import type { FailureClass } from '../../../domain/task/task'
import { clip } from '../../json-lines/text'

/** @see HarnessRun.outcome */
export function outcome({ result, exitCode, signal, stderr, isResume }: RunEnd): RunOutcome {
  if (result !== null && !result.isError && exitCode === 0)
    return { isOk: true, failureClass: null, reason: 'done', resetAt: null }
  if (result?.isError) {
    const said = clip(
      result.errors
        .join(' ')
        .replace(/\s+/g, ' ')
        .replace(/^Error: /, '')
        .trim(),
      500,
    )
    return boundOutcome(result.subtype) ?? failed(result.subtype, said, isResume)
  }
  const how = signal === null ? `ended with exit code ${exitCode}` : `was killed by ${signal}`
  const why = stderr.trim().split('\n').at(-1)?.trim() ?? ''
  return of('crash', `Copilot CLI ${how}${result ? ' after its result' : ''}${why === '' ? '' : `: ${clip(why, 500)}`}`)
}

/** @param kind  `subtype` of the result */
function failed(kind: string, said: string, isResume: boolean): RunOutcome {
  const because = said === '' ? '' : `: ${said.replace(/[.\s]+$/, '')}`
  if (kind === 'interrupted') return of('crash', 'The turn was interrupted before it finished')
  if (kind === 'resume_refused')
    return of('resume_refused', `Copilot CLI could not continue the conversation${because}`)
  if (kind === 'login') return of('login', `Copilot CLI is not logged in${because}${LOGIN_ADVICE}`)
  const rule = RULES.find(({ pattern, onlyResume }) => pattern.test(said) && (onlyResume !== true || isResume))
  if (rule === undefined) return of('crash', `The turn failed${because || ' without a reason'}`)
  return of(rule.failureClass, `${rule.reason}${because}${rule.advice ?? ''}`)
}

const LOGIN_ADVICE = ". Run 'copilot login' on the worker's machine, or set COPILOT_GITHUB_TOKEN for the worker"

interface Rule {
  failureClass: FailureClass
  pattern: RegExp
  reason: string
  advice?: string
  /** Only for runs that were to continue a conversation. */
  onlyResume?: boolean
}

/** What the CLI says in the model's place: the status of the answer comes first, or last after the tries. The first that fits counts. */
const RULES: readonly Rule[] = [
  {
    failureClass: 'usage_limit',
    pattern:
      /quota|premium request|usage limit|limit of .{0,40}credits|AI credits?\b.{0,40}(?:exhausted|exceeded|used)|\b402\b/i,
    reason: 'A usage limit of the account was reached',
  },
  {
    failureClass: 'login',
    pattern: /\b401\b|\b403\b|unauthori[sz]ed|not logged in|authentication|invalid api key/i,
    reason: 'The provider of the model refused the login',
    advice: LOGIN_ADVICE,
  },
  {
    failureClass: 'prompt_too_long',
    pattern: /\b413\b|context (?:window|length)|maximum context|too many tokens|prompt is too long/i,
    reason: 'The conversation is too long for the model',
  },
  {
    failureClass: 'overloaded',
    pattern:
      /\b429\b|\b5\d\d\b|rate.?limit|overloaded|retried \d+ times|connection|socket|network|fetch failed|timed? ?out|ECONN|ENOTFOUND/i,
    reason: "The model's API did not respond",
  },
  {
    failureClass: 'bad_flag',
    pattern: /model .{0,200}(?:not (?:found|available|supported)|does not exist)|\b404\b/i,
    reason: "The model can't be used",
    advice: ". Change the task's model and retry",
  },
  {
    failureClass: 'resume_refused',
    pattern: /\b400\b/,
    reason: "The model's API rejected the conversation",
    onlyResume: true,
  },
  { failureClass: 'bad_flag', pattern: /\b4\d\d\b/, reason: "The model's API refused the request" },
]

const of = (failureClass: FailureClass, reason: string): RunOutcome => ({
  isOk: false,
  failureClass,
  reason: `${reason.replace(/[.\s]+$/, '')}.`,
  resetAt: null,
})
