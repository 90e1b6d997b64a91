import type { RunEnd, RunOutcome } from '../../../domain/harness/harness-run'
import { boundOutcome } from '../../../domain/harness/run-bounds'
import { modelFailure } from '../../failures/model-failure'
import { because, DONE, deadProcess, failed, INTERRUPTED, notContinued, turnFailed } from '../../failures/outcomes'

const LOGIN_HINT = 'Run `pi` on that machine and `/login`, or set the key of its provider for the worker; then retry.'

/** What the CLI says of its own conversations and arguments. The first that fits counts. */
const OWN: readonly (readonly [pattern: RegExp, outcome: (said: string) => RunOutcome])[] = [
  [
    /No session found|not a valid pi session|Cannot fork|Stored session working directory|already exists with id/i,
    (said) => notContinued('Pi', said),
  ],
  [
    /Unknown option|Invalid .{1,40} option/i,
    (said) =>
      failed(
        'bad_flag',
        `Pi can't use an argument${because(said)}. Change the task or the worker's settings and retry.`,
      ),
  ],
]

/**
 * What the end of a run means. The CLI ends with 0 also where its model refused: the last answer decides. A result without a turn is no
 * success: the model was never asked.
 */
export function outcome(end: RunEnd): RunOutcome {
  const { result, exitCode, signal } = end
  if (result?.isError) return boundOutcome(result.subtype) ?? ofResult(end)
  if (result && exitCode === 0)
    return result.numTurns === 0 ? failed('agent', 'The prompt did not reach the model.') : DONE
  const known =
    signal !== null || exitCode === 0 ? undefined : ofTexts(end, [...linesOf(end), ...end.apiErrors.toReversed()])
  return known ?? deadProcess('Pi', end)
}

/** Warnings stand beside the line that says why, and before it. */
const linesOf = ({ stderr }: RunEnd): string[] => stderr.split('\n').toReversed()

function ofResult(end: RunEnd): RunOutcome {
  const errors = end.result?.errors ?? []
  const known = ofTexts(end, [...errors, ...end.apiErrors.toReversed()])
  if (known !== undefined) return known
  return end.result?.terminalReason === 'aborted' ? INTERRUPTED : turnFailed(errors.join(' '))
}

/** What the first text means that says why. Texts of failed answers begin with the status of the provider: `401: {…}`. */
function ofTexts({ isResume, now }: RunEnd, texts: readonly string[]): RunOutcome | undefined {
  for (const text of texts) {
    const own = OWN.find(([pattern]) => pattern.test(text.slice(0, 20_000)))
    if (own !== undefined) return own[1](text)
    const known = modelFailure(text, { isResume, now, loginHint: LOGIN_HINT })
    if (known !== null) return known
  }
  return undefined
}
