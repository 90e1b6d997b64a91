import type { RunEnd, RunOutcome } from '../../../domain/harness/harness-run'
import { boundOutcome } from '../../../domain/harness/run-bounds'
import { DONE, deadProcess, failed } from '../../failures/dead-process'
import { failureOf, modelFailure, spoken } from '../../failures/model-failure'

const LOGIN_HINT =
  "Run 'copilot login' on the worker's machine, or set COPILOT_GITHUB_TOKEN or the key of its provider for the worker; then retry."

/** @see HarnessRun.outcome */
export function outcome(end: RunEnd): RunOutcome {
  const { result, exitCode } = end
  if (result === null || (!result.isError && exitCode !== 0)) return deadProcess('Copilot CLI', end)
  return result.isError ? (boundOutcome(result.subtype) ?? ofResult(end)) : DONE
}

function ofResult({ result, isResume, now }: RunEnd): RunOutcome {
  const said = result?.errors.join(' ') ?? ''
  const words = spoken(said)
  const context = { isResume, now, loginHint: LOGIN_HINT }
  switch (result?.subtype) {
    case 'interrupted':
      return failed('crash', 'The turn was interrupted before it finished.')
    case 'resume_refused':
      return failed(
        'resume_refused',
        `Copilot CLI could not continue the conversation${words === '' ? '' : `: ${words}`}.`,
      )
    case 'login':
      return failureOf('login', said, context)
    default:
      return (
        modelFailure(said, context) ??
        failed('crash', words === '' ? 'The turn failed without a reason.' : `The turn failed: ${words}.`)
      )
  }
}
