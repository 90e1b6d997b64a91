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

export const failed = (failureClass: FailureClass, reason: string): RunOutcome => ({
  ...{ isOk: false, failureClass, reason, resetAt: null },
})

/** The turn came to its end and nothing failed. */
export const DONE: RunOutcome = Object.freeze({ isOk: true, failureClass: null, reason: 'done', resetAt: null })
