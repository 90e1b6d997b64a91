import type { Task } from '../domain/task'
import type { ArgSpec } from './command'
import type { Context } from './context'
import { oneLine } from './text'
import { statusText } from './views/task-views'

/** A task as an argument. */
export const TASK_ARG: ArgSpec = { name: 'ID', help: "the task's id, or a unique beginning of it" }

/** Why a person moves a task: kept in its log and shown with it. */
export const REASON_OPTION = {
  reason: { kind: 'text', value: 'TEXT', help: "why: kept in the task's log" },
} as const

/** Answers with a task after it was moved: where it is now, and why it is there. */
export function answerTask(context: Context, { task }: { task: Task }): void {
  context.answer({ task }, () => `${taskLine(task)}\n`)
}

/** `t-7f3k9q2m paused (person): Fix the login`, and the reason of its last move when it says more. */
export function taskLine(task: Task): string {
  return oneLine(`${task.id} ${statusText(task)}: ${task.title}${task.reason === '' ? '' : ` (${task.reason})`}`)
}

/** Queued work waits for a server: without one nobody takes it. */
export function noteWithoutServer(context: Context, url: string | null): void {
  if (url === null) context.note("no server runs here, so nobody takes it yet: start one with 'lode up'.")
}
