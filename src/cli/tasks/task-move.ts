import type { Task } from '../../domain/task/task'
import type { ArgSpec } from '../kit/arguments/specs'
import type { Connection, Context } from '../kit/context'
import { oneLine } from '../print/text'
import { statusText } from '../views/task/task-views'

/** A task as an argument. */
export const TASK_ARG: ArgSpec = { name: 'ID', help: "the task's ID, or a unique prefix of it", complete: 'task' }

/** Why a person moves a task: kept in its log and shown with it. */
export const REASON_OPTION = {
  reason: { kind: 'text', value: 'TEXT', help: "the reason, stored in the task's log" },
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
  if (url === null)
    context.note("no server is running here, so no worker takes the task yet; start one with 'lode up'.")
}

/** A task that only an agent which is away may take stays where it is: says so, and the way out. */
export async function noteAwayAgent(
  context: Context,
  client: Connection['client'],
  { task }: { task: Task },
): Promise<void> {
  if (task.status !== 'pending' || task.agentId === null || task.waitingFor !== null) return
  const { agent } = await client.agents.get(task.agentId)
  if (agent.status === 'online') return
  context.note(
    `the task waits for ${oneLine(agent.name)}, which is offline; 'lode task release ${task.id}' lets any worker take it.`,
  )
}
