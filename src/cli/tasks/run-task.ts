import { isAppError } from '../../domain/errors'
import type { Task, TaskLogLine } from '../../domain/task/task'
import type { Context } from '../kit/context'
import { endStatus, tellQuestions, terminalStatus } from '../kit/terminal-status'
import { dollars, duration } from '../print/measures'
import { json } from '../print/print'
import { block } from '../print/text'
import { logLine } from '../views/task/log-lines'
import type { RunStage } from './run-stage'
import { showQuestions } from './show-questions'
import { taskLine } from './task-move'
import { followTask, hasEnded } from './wait-task'

/**
 * Shows a task's run until it has settled. Ctrl-C pauses it, a second one cancels it.
 *
 * @param after  the last line of its log that is not to be shown
 * @returns the task as it is then
 */
export async function runLive(context: Context, stage: RunStage, task: Task, after: number): Promise<Task> {
  const { client } = stage.connection
  const second = context.takeSecondSignal()
  const leaving = new AbortController()
  const asked: Promise<unknown>[] = []
  const ask = (verb: string, request: () => Promise<unknown>) => () => {
    context.note(verb === 'pause' ? 'pausing the task; press Ctrl-C again to cancel it' : 'cancelling the task')
    setTimeout(() => leaving.abort(), LEAVE_MS).unref()
    asked.push(request().catch((error: unknown) => refused(context, error, verb, leaving)))
  }
  const pause = ask('pause', () => client.tasks.pause(task.id, { reason: 'Ctrl-C' }))
  const cancel = ask('cancel', () => client.tasks.cancel(task.id, { reason: 'Ctrl-C' }))
  context.signal.addEventListener('abort', pause, { once: true })
  second.addEventListener('abort', cancel, { once: true })
  if (context.signal.aborted) pause()
  const tell = terminalStatus(context)
  const questions = showQuestions(context, client, task.id, AbortSignal.any([leaving.signal, context.signal]), {
    mayAsk: true,
    onOpen: tellQuestions(tell, task.title),
  })
  try {
    const settled = await followTask(context, client, task, after, leaving.signal, linePrinter(context))
    await Promise.all(asked)
    const ended = asked.length === 0 ? settled : (await client.tasks.get(task.id)).task
    tell(endStatus(ended), ended.title)
    return ended
  } catch (error) {
    tell(null)
    throw error
  } finally {
    context.signal.removeEventListener('abort', pause)
    second.removeEventListener('abort', cancel)
    leaving.abort()
    await questions
  }
}

/** How long a worker has to end a run that is to be left, before it is left all the same. */
const LEAVE_MS = 15_000

function refused(context: Context, error: unknown, verb: string, leaving: AbortController): void {
  // It ended meanwhile: its log has the result.
  if (isAppError(error) && error.code === 'conflict') return
  context.note(`couldn't ${verb} the task: ${error instanceof Error ? error.message : error}`)
  leaving.abort()
}

/** Prints lines as they come; for a person not what the agent said twice: as its last words, and as its result. */
function linePrinter({ io, globals }: Context): (line: TaskLogLine) => void {
  let lastNote = ''
  return (line) => {
    if (globals.isJson) return io.out(json(line, false))
    if (globals.isQuiet || (line.kind === 'result' && line.text === lastNote)) return
    if (line.kind === 'text') lastNote = line.text
    io.out(logLine(line, { columns: io.columns, isFull: false }))
  }
}

/** The last words of a run: how it ended, then what it gave. */
export function showOutcome(context: Context, task: Task): void {
  context.answer({ task }, () => {
    const took =
      task.startedAt === null
        ? null
        : duration(Date.parse(task.finishedAt ?? task.updatedAt) - Date.parse(task.startedAt))
    const facts = [took, task.costUsd === null ? null : dollars(task.costUsd, false)].filter((part) => part !== null)
    const why = task.status === 'completed' ? `${task.id} completed` : taskLine(task)
    const head = context.globals.isQuiet ? [] : [`${[why, ...facts].join(', ')}\n`]
    const output = task.output === null || !hasEnded(task) ? [] : [`${block(task.output).trimEnd()}\n`]
    return [...head, ...output].join('\n')
  })
  if (hasEnded(task) && task.status !== 'failed') return
  const next =
    task.status === 'failed'
      ? `retry with 'lode run --task ${task.id}'; see the whole log with 'lode task log ${task.id} --full'`
      : `continue here with 'lode run --task ${task.id}', or let a worker continue with 'lode task resume ${task.id}'`
  if (!context.globals.isJson) context.note(next)
}
