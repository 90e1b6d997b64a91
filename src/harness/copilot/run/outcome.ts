import type { RunEnd, RunOutcome } from '../../../domain/harness/harness-run'
import { boundOutcome } from '../../../domain/harness/run-bounds'
import { failureOf, modelFailure } from '../../failures/model-failure'
import { DONE, deadProcess, INTERRUPTED, notContinued, turnFailed } from '../../failures/outcomes'

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
  const context = { isResume, now, loginHint: LOGIN_HINT }
  switch (result?.subtype) {
    case 'interrupted':
      return INTERRUPTED
    case 'resume_refused':
      return notContinued('Copilot CLI', said)
    case 'login':
      return failureOf('login', said, context)
    default:
      return modelFailure(said, context) ?? turnFailed(said)
  }
}
