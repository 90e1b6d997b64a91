import type { TaskService } from '../engine/tasks/task-service'

/** Every method of the port, by name: what may be asked of the task thread. */
export const TASK_METHODS = [
  'create',
  'createPlan',
  'patch',
  'cancel',
  'pause',
  'resume',
  'deploy',
  'retry',
  'offer',
  'accept',
  'reject',
  'release',
  'progress',
  'finish',
  'setConversation',
  'input',
  'claim',
  'createEpic',
  'createInEpic',
  'join',
  'describeAgent',
  'poll',
  'report',
  'ask',
  'answer',
  'sweep',
] as const satisfies readonly (keyof TaskService)[]

export type TaskMethod = (typeof TASK_METHODS)[number]

export const isTaskMethod = (name: string): name is TaskMethod => (TASK_METHODS as readonly string[]).includes(name)

/** A service whose methods are all one call. */
export function taskServiceOver(call: (method: TaskMethod, args: unknown[]) => Promise<unknown>): TaskService {
  const entries = TASK_METHODS.map((method) => [method, (...args: unknown[]) => call(method, args)])
  // Each name has the port's own signature on the other side of the call.
  return Object.fromEntries(entries) as unknown as TaskService
}
