import type { RunEnd, RunOutcome } from '../../../domain/harness/harness-run'
import { boundOutcome } from '../../../domain/harness/run-bounds'
import type { FailureClass } from '../../../domain/task/task'
import { DAY_MS } from '../../../domain/time-units'
import { clip } from '../../json-lines/text'
import { classify } from './failure'
import { readUsageLimit } from './limits/usage-limit'

/** Reasons are one sentence for a person; text of the CLI in them is cut to this many characters. */
const SAID_LIMIT = 500
/** A limit of a month is the longest. */
const LONGEST_LIMIT_MS = 40 * DAY_MS

/**
 * What the end of a run means.
 *
 * All is well if the last result carries no error and the process ended with 0: `subtype: success` alone proves nothing. A result
 * without a single turn is no success: a hook or a command of the CLI's own answered, and the model was never asked.
 */
export function outcome(end: RunEnd): RunOutcome {
  const { result } = end
  if (result && !result.isError && end.exitCode === 0) {
    if (result.numTurns !== 0 || (result.costUsd ?? 0) > 0)
      return { isOk: true, failureClass: null, reason: 'done', resetAt: null }
    return failed('agent', `The prompt did not reach the model: ${sentence(result.text ?? 'no message')}`)
  }
  if (result?.isError) return failedWithResult(end, resultTexts(end))
  if (end.signal !== null) return failed('crash', `The agent's CLI was killed by ${end.signal}.`)
  return failedWithout(end)
}

/** What the failed result says itself. */
function resultTexts({ result }: RunEnd): string[] {
  return [result?.text ?? '', ...(result?.errors ?? [])].filter((text) => text.trim() !== '')
}

function failedWithResult(end: RunEnd, texts: string[]): RunOutcome {
  const { result } = end
  const bound = boundOutcome(result?.subtype, texts.length > 0 ? quotedText(texts.join(' ')) : '')
  if (bound) return bound
  const own = fromTexts(end, texts)
  if (own) return own
  // What came before it on the way: the newest first.
  const earlier = fromTexts(end, [...end.apiErrors].reverse())
  if (earlier) return earlier
  if (result?.terminalReason?.startsWith('aborted') === true)
    return failed('crash', "The agent's turn was interrupted before it finished.")
  return failed(
    'crash',
    texts.length > 0
      ? `The agent's CLI failed: ${sentence(texts.join(' '))}`
      : 'The agent failed without giving a reason.',
  )
}

/** No result, or one without an error and yet another exit code. */
function failedWithout(end: RunEnd): RunOutcome {
  const { exitCode, stderr } = end
  const known = fromTexts(
    end,
    [stderr, ...[...end.apiErrors].reverse()].filter((text) => text.trim() !== ''),
  )
  if (known && exitCode !== 0) return known
  const signal = SIGNALS.get(exitCode ?? 0)
  if (signal !== undefined) return failed('crash', `The agent's CLI was killed by ${signal}.`)
  const how = exitCode === null ? 'ended' : `ended with exit code ${exitCode}`
  const why = lastLine(stderr)
  const when = end.result ? 'after its result' : 'without a result'
  return failed('crash', `The agent's CLI ${how} ${when}${why === '' ? '.' : `: ${sentence(why)}`}`)
}

/** Exit codes by which the CLI, or a shell around it, reports a signal. */
const SIGNALS: ReadonlyMap<number, string> = new Map([
  [129, 'SIGHUP'],
  [130, 'SIGINT'],
  [134, 'SIGABRT'],
  [137, 'SIGKILL'],
  [139, 'SIGSEGV'],
  [143, 'SIGTERM'],
])

/** The class of the first text that has one. */
function fromTexts(end: RunEnd, texts: readonly string[]): RunOutcome | undefined {
  for (const text of texts) {
    const limit = readUsageLimit(text, end.now)
    if (limit) return limited(end, text, limit.resetAt)
    const found = classify(text, end.isResume)
    if (found)
      return failed(
        found.failureClass,
        `${found.reason}: ${sentence(found.isLine ? lineOf(text, found.pattern) : text)}${found.advice}`,
      )
  }
  return undefined
}

/** The time that the CLI told beside its text is to the second, the text's own to the minute at best. */
function limited(end: RunEnd, text: string, resetAt: number | null): RunOutcome {
  const resetTimes = end.apiErrors.map((error) => readUsageLimit(error, end.now)?.resetAt ?? null)
  const exact = end.apiErrors.findLastIndex(
    (error, i) => error.includes('|') && inReach(resetTimes[i] ?? null, end.now),
  )
  const at = exact === -1 ? resetAt : (resetTimes[exact] ?? null)
  const reset = inReach(at, end.now) && at !== null ? new Date(at).toISOString() : null
  const until = reset === null ? '' : `; it resets at ${reset}`
  return {
    ...failed(
      'usage_limit',
      `A usage limit of the account was reached: ${quotedText(text.replace(/\|\d+/, ''))}${until}`,
    ),
    resetAt: reset,
  }
}

/** A time that has passed, or lies beyond any limit, tells nothing about when to go on. */
const inReach = (at: number | null, now: number): boolean => at !== null && at > now && at < now + LONGEST_LIMIT_MS

function failed(failureClass: FailureClass, reason: string): RunOutcome {
  return { isOk: false, failureClass, reason, resetAt: null }
}

/** What the CLI said, as one line. */
function quotedText(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > SAID_LIMIT ? `${clip(line, SAID_LIMIT - 1)}…` : line
}

/** What the CLI said, ended by one full stop. */
const sentence = (text: string): string => `${quotedText(text).replace(/[.\s]+$/, '')}.`

const lastLine = (text: string): string => text.trim().split('\n').at(-1)?.trim() ?? ''

/** The line of a longer text that the pattern was found in. */
function lineOf(text: string, pattern: RegExp): string {
  return text.split('\n').find((line) => pattern.test(line)) ?? lastLine(text)
}
