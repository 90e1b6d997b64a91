import type { RunEnd, RunOutcome } from '../../../domain/harness/harness-run'
import { boundOutcome } from '../../../domain/harness/run-bounds'
import { failureOf, modelFailure } from '../../failures/model-failure'
import { because, DONE, deadProcess, failed, INTERRUPTED, notContinued, turnFailed } from '../../failures/outcomes'

const LOGIN_HINT =
  'Run `opencode auth login` on that machine, or set the key of its provider for the worker; then retry.'

/** What the end of a run means. The CLI ends with 0 also where its model refused: the last turn decides. */
export function outcome(end: RunEnd): RunOutcome {
  const { result, exitCode } = end
  if (result === null || (!result.isError && exitCode !== 0)) return deadProcess('opencode', end, isSaid)
  return result.isError ? (boundOutcome(result.subtype) ?? ofResult(end)) : DONE
}

function ofResult({ result, isResume, now }: RunEnd): RunOutcome {
  const said = result?.errors.join(' ') ?? ''
  const context = { isResume, now, loginHint: LOGIN_HINT }
  switch (result?.subtype) {
    case 'interrupted':
      return INTERRUPTED
    case 'resume_refused':
      return notContinued('opencode', said)
    case 'setup':
      return failed('bad_flag', `The run could not begin${because(said)}.`)
    case 'long_wait':
      return failureOf('long_wait', said, context)
    case 'loop':
      return failed(
        'agent',
        `The agent was stopped, since it repeated itself${because(said)}. Change what the task asks for or what it needs; then retry.`,
      )
    default:
      // Texts begin with the status of the provider where there is one: `401 APIError: … {"error":…}`.
      return modelFailure(said, context) ?? turnFailed(said)
  }
}

/** The CLI notes each answer to our plugin: it knows no such request. */
const isSaid = (line: string): boolean => !/lodeline|^[\s{}[\],]+$/.test(line)
