import { AppError, isAppError } from '../../domain/errors'
import { isFinal, type Task, type TaskLogLine } from '../../domain/task/task'
import type { Connection, Context } from '../kit/context'
import { EXIT } from '../kit/exit-codes'
import { block } from '../print/text'
import { showQuestions } from './show-questions'
import { taskLine } from './task-move'

const PAGE = 1_000

/** Final, or paused by a person: nothing moves it but another person. */
export function isSettled(task: Task): boolean {
  return hasEnded(task) || (task.status === 'paused' && task.pausedBy === 'person')
}

export const hasEnded = ({ status }: Task): boolean => isFinal(status)

/** A task that was waited for: how it ended, and its result. */
export function outcomeText(task: Task): string {
  const output = task.output === null ? '' : block(task.output).trim()
  return `${taskLine(task)}\n${output === '' ? '' : `\n${output}\n\n`}`
}

/**
 * What tasks that were waited for mean as an exit code: 0 when all are completed, else that of the first of failed, cancelled, paused
 * that applies, else `timeout`.
 */
export function outcomeCode(tasks: readonly Task[]): number {
  if (tasks.some(({ status }) => status === 'failed')) return EXIT.taskFailed
  if (tasks.some(({ status }) => status === 'cancelled')) return EXIT.taskCancelled
  if (tasks.some((task) => task.status === 'paused' && isSettled(task))) return EXIT.taskPaused
  return tasks.every(({ status }) => status === 'completed') ? EXIT.ok : EXIT.timeout
}

/**
 * Waits until the task is final or paused by a person.
 *
 * @param signal  ends the waiting: the task is then given as it is
 * @throws `unavailable`  no server runs, so that nothing would ever happen
 */
export async function waitForTask(
  context: Context,
  { client, url }: Pick<Connection, 'client' | 'url'>,
  id: string,
  signal: AbortSignal,
): Promise<Task> {
  const { task, lines } = await logEnd(client, id)
  if (isSettled(task)) return task
  if (url === null) {
    throw new AppError('unavailable', 'No server is running here, so there is nothing to wait for.', {
      hint: "Start one with 'lode up'. The task is kept.",
    })
  }
  context.note(`waiting for ${task.id}`)
  const waited = new AbortController()
  // Nobody would know that the run waits for a person.
  const questions = showQuestions(context, client, task.id, AbortSignal.any([signal, waited.signal]))
  try {
    return await followTask(context, client, task, lines.at(-1)?.id ?? 0, signal)
  } finally {
    waited.abort()
    await questions
  }
}

/** The newest lines of a task's log, and the task as it is after them. */
export async function logEnd(client: Connection['client'], id: string): Promise<{ task: Task; lines: TaskLogLine[] }> {
  for (let after = 0; ; ) {
    const page = await client.tasks.log(id, { after, limit: PAGE })
    // Asked for once more: the page's own task may be older than its last line.
    if (page.lines.length < PAGE) return { task: (await client.tasks.get(id)).task, lines: page.lines }
    after = page.lines.at(-1)?.id ?? after
  }
}

/**
 * Follows a task's log until the task has settled or `signal` aborts, and gives it as it is then. A server that is away is waited for.
 *
 * @param after   the last line that was seen
 * @param onLine  gets each line once, in order
 */
export async function followTask(
  context: Context,
  client: Connection['client'],
  task: Task,
  after: number,
  signal: AbortSignal,
  onLine: (line: TaskLogLine) => void = () => {},
): Promise<Task> {
  const ending = new AbortController()
  const both = AbortSignal.any([signal, ending.signal])
  let isAway = false
  const onRetry = (error: Error) => {
    if (!isAway) context.note(`${error.message}; trying again`)
    isAway = true
  }
  const onOpen = () => {
    isAway = false
  }
  try {
    for await (const line of client.tasks.followLog(task.id, { after }, { signal: both, onRetry, onOpen })) {
      onLine(line)
      // Each move stands in the log; of those only a pause ends the waiting while the log goes on.
      if (line.kind !== 'move') continue
      const moved = await taskNow(client, task.id, both)
      if (moved.status === 'paused' && isSettled(moved)) return moved
    }
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    ending.abort()
  }
  return (await client.tasks.get(task.id)).task
}

const FIRST_WAIT_MS = 250
const LONGEST_WAIT_MS = 5_000

/** The task, from a server that may be away for a while. @throws the signal's reason */
async function taskNow(client: Connection['client'], id: string, signal: AbortSignal): Promise<Task> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    try {
      return (await client.tasks.get(id, { signal })).task
    } catch (error) {
      if (signal.aborted || !isAppError(error) || error.code !== 'unavailable') throw error
      await Bun.sleep(waitMs)
    }
  }
}
