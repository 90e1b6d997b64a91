import type { TodoService } from '../engine/todos/todo-service'

/** Every method of the port, by name: what may be asked of the thread that writes. */
export const TODO_METHODS = [
  'link',
  'unlink',
  'saw',
  'finalize',
  'promote',
  'take',
  'settle',
  'dropOld',
] as const satisfies readonly (keyof TodoService)[]

export type TodoMethod = (typeof TODO_METHODS)[number]

export const isTodoMethod = (name: string): name is TodoMethod => (TODO_METHODS as readonly string[]).includes(name)

/** A service whose methods are all one call. */
export function todoServiceOver(call: (method: TodoMethod, args: unknown[]) => Promise<unknown>): TodoService {
  const entries = TODO_METHODS.map((method) => [method, (...args: unknown[]) => call(method, args)])
  // Each name has the port's own signature on the other side of the call.
  return Object.fromEntries(entries) as unknown as TodoService
}
