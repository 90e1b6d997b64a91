import type { RunEnd, RunOutcome } from '../../domain/harness/harness-run'
import type { FailureClass } from '../../domain/task/task'
import { spoken } from './model-failure'

/**
 * What the end of a process means that came without a result, or not well after one.
 *
 * @param isSaid  whether a line of stderr says something to a person
 */
export function deadProcess(
  title: string,
  { exitCode, signal, result, stderr }: Pick<RunEnd, 'exitCode' | 'signal' | 'result' | 'stderr'>,
  isSaid: (line: string) => boolean = () => true,
): RunOutcome {
  const when = result === null ? 'before it had a result' : 'after its result'
  if (signal !== null) return failed('crash', `${title} was killed by ${signal} ${when}.`)
  const why = stderr.split('\n').findLast((line) => line.trim() !== '' && isSaid(line))
  const words = why === undefined ? ' It did not say why.' : ` It said: ${spoken(why)}.`
  return failed('crash', `${title} ended ${when}, with exit code ${exitCode}.${words}`)
}

export function failed(failureClass: FailureClass, reason: string): RunOutcome {
  return { isOk: false, failureClass, reason, resetAt: null }
}

/** The turn ended and nothing failed. */
export const DONE: RunOutcome = Object.freeze({ isOk: true, failureClass: null, reason: 'done', resetAt: null })

export const INTERRUPTED: RunOutcome = Object.freeze(failed('crash', 'The turn was interrupted before it finished.'))

/** The turn failed in a way that nobody knows. @param said  why, by the CLI; may be '' */
export const turnFailed = (said: string): RunOutcome =>
  failed('crash', spoken(said) === '' ? 'The turn failed without a reason.' : `The turn failed${because(said)}.`)

/** The CLI took no conversation up again. @param said  why; may be '' */
export const notContinued = (title: string, said: string): RunOutcome =>
  failed('resume_refused', `${title} could not continue the conversation${because(said)}.`)

export function because(said: string): string {
  const words = spoken(said)
  return words === '' ? '' : `: ${words}`
}
