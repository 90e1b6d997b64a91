import type { RunEnd, RunOutcome } from '../../../domain/harness/harness-run'
import { boundOutcome } from '../../../domain/harness/run-bounds'
import { DONE, deadProcess, failed } from '../../failures/dead-process'
import { failureOf, modelFailure, spoken } from '../../failures/model-failure'

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
  const words = spoken(said)
  const because = words === '' ? '.' : `: ${words}.`
  const context = { isResume, now, loginHint: LOGIN_HINT }
  switch (result?.subtype) {
    case 'interrupted':
      return failed('crash', 'The turn was interrupted before it finished.')
    case 'resume_refused':
      return failed('resume_refused', `opencode could not continue the conversation${because}`)
    case 'setup':
      return failed('bad_flag', `The run could not begin${because}`)
    case 'long_wait':
      // The limit of an account, or one that lasts as long.
      return failureOf('usage_limit', said, context)
    default:
      // Texts begin with the status of the provider where there is one: `401 APIError: … {"error":…}`.
      return (
        modelFailure(said, context) ??
        failed('crash', words === '' ? 'The turn failed without a reason.' : `The turn failed: ${words}.`)
      )
  }
}

/** The CLI notes each answer to our plugin: it knows no such request. */
const isSaid = (line: string): boolean => !/lodeline|^[\s{}[\],]+$/.test(line)
