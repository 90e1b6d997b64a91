import { AppError } from '../../../domain/errors'
import { type AgentId, type TaskId, taskId, taskOf } from '../../../domain/ids'
import type { Attempt, Task } from '../../../domain/task/task'
import { MIN_ID_PREFIX } from '../../contract/protocol'
import type { Context } from '../context'

/**
 * Does first what is due, where no server does it by itself: a command without one must not show a lease that ran out.
 */
export async function settle({ access, services, store }: Context): Promise<void> {
  if (access.kind === 'in_process' && (await store.tasks.hasOpen())) await services.tasks.sweep()
}

/**
 * Finds the task that `given` names: its id, or a unique beginning of it.
 *
 * @throws `not_found` with the nearest ids, or `conflict` when several begin so (`details.candidates`)
 */
export async function getTask(given: string, context: Context): Promise<Task> {
  const { tasks } = context.store
  const exact = await tasks.find(taskId(given))
  if (exact !== undefined) return exact
  const candidates = given.length < MIN_ID_PREFIX ? [] : await tasks.matchPrefix(given)
  const [only] = candidates
  const found = only !== undefined && candidates.length === 1 ? await tasks.find(only) : undefined
  if (found !== undefined) return found
  if (candidates.length > 1) {
    throw new AppError('conflict', `${candidates.length} tasks begin with ${given}.`, {
      hint: 'Give more of the ID.',
      details: { candidates },
    })
  }
  throw await noTask(given, context)
}

/** For a filter: the id that `given` is a unique beginning of, or what it says, since the task may be gone. */
export async function filterTaskId(given: string, { store }: Context): Promise<TaskId> {
  const matches = given.length < MIN_ID_PREFIX ? [] : await store.tasks.matchPrefix(given)
  const [only] = matches
  return matches.length === 1 && only !== undefined ? only : taskId(given)
}

/** Finds an attempt by its id. @throws `not_found` */
export async function getAttempt(given: string, { store }: Context): Promise<Attempt> {
  const attempts = await store.tasks.attempts(taskOf(given))
  const found = attempts.find(({ id }) => id === given)
  if (found === undefined) throw new AppError('not_found', `There is no attempt ${given}.`)
  return found
}

/** Finds an agent by its id or name. @throws `not_found` with the names that there are */
export async function getAgentId(given: string, { store }: Context): Promise<AgentId> {
  const found = await store.tasks.findAgent(given)
  if (found === undefined) throw await noAgent(given, store.tasks)
  return found.id
}

export async function noAgent(given: string, tasks: Context['store']['tasks']): Promise<AppError> {
  const names = (await tasks.agents()).map(({ name }) => name).slice(0, 20)
  return new AppError('not_found', `There is no agent ${given}.`, {
    hint:
      names.length === 0 ? 'None has joined yet. Run `lode work` to start one.' : `Known agents: ${names.join(', ')}.`,
    details: { names },
  })
}

/** How much of an id must be right for it to be named as near. */
const NEAR_BEGINNING = 3

export async function noTask(given: string, { store }: Context): Promise<AppError> {
  const nearest = await nearestIds(given, (prefix) => store.tasks.matchPrefix(prefix))
  return new AppError('not_found', `There is no task ${given}.`, {
    hint: nearest.length === 0 ? 'Run `lode task list` to see all tasks.' : `Did you mean ${nearest.join(', ')}?`,
    details: { nearest },
  })
}

/** Ids that share the longest beginning with `given`, at most three. */
async function nearestIds(given: string, match: (prefix: string) => Promise<TaskId[]>): Promise<TaskId[]> {
  const longest = Math.min(given.length - 1, 20)
  for (let length = longest; length >= 't-'.length + NEAR_BEGINNING; length--) {
    const found = await match(given.slice(0, length))
    if (found.length > 0) return found.slice(0, 3)
  }
  return []
}
