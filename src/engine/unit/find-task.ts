import { AppError } from '../../domain/errors'
import { type AgentId, type TaskId, taskId } from '../../domain/ids'
import type { Store } from '../../domain/store'
import type { AgentRow, TaskRow } from '../../domain/task/task-store'
import type { Unit } from './unit'

/** A task's id, or a unique beginning of it. */
export type TaskRef = TaskId | string

const WHOLE_ID = /^t-[0-9a-z]{8,}$/
const BEGINNING = /^[0-9a-z-]{4,40}$/

/**
 * The id that a person's text means: as it is when it is a whole one, else the one task that begins so (with or without `t-`).
 * Reads outside any unit.
 *
 * @throws `invalid` no id and no beginning of one · `not_found` · `conflict` when several begin so; `details.ids`
 */
export async function resolveTask(store: Store, ref: TaskRef): Promise<TaskId> {
  if (WHOLE_ID.test(ref)) return taskId(ref)
  const typed = ref.toLowerCase()
  if (!BEGINNING.test(typed))
    throw new AppError('invalid', `${quoted(ref)} is not a task ID.`, {
      hint: 'A task ID is t- and eight letters or digits. Its first four or more characters are enough.',
    })
  const prefix = typed.startsWith('t-') ? typed : `t-${typed}`
  const found = await store.tasks.matchPrefix(prefix)
  const only = found[0]
  if (only === undefined) throw await unknownTask(store, ref)
  if (found.length === 1) return only
  throw new AppError('conflict', `${found.length === 20 ? '20 or more' : found.length} tasks begin with ${prefix}.`, {
    hint: `Give more of the ID: ${found.slice(0, 5).join(', ')}${found.length > 5 ? ', …' : ''}.`,
    details: { ids: found },
  })
}

/** What a unit throws for a task that is not there; the service adds the nearest ids to it. */
export class NoSuchTask extends Error {
  readonly ref: string
  constructor(ref: string) {
    super(`There is no task ${ref}.`)
    this.ref = ref
  }
}

/** `not_found` with the ids that begin like the one that was asked for. */
export async function unknownTask(store: Store, ref: string): Promise<AppError> {
  const typed = ref.toLowerCase()
  const whole = typed.startsWith('t-') ? typed : `t-${typed}`
  let near: TaskId[] = []
  for (let length = Math.min(whole.length - 1, 8); length >= 4 && near.length === 0; length--)
    near = await store.tasks.matchPrefix(whole.slice(0, length))
  const hint = near.length > 0 ? `Nearest: ${near.slice(0, 5).join(', ')}.` : 'Run `lode task list` to see all tasks.'
  return new AppError('not_found', `There is no task ${quoted(ref)}.`, { hint, details: { nearest: near.slice(0, 5) } })
}

/** @throws `NoSuchTask` */
export async function getTask(unit: Unit, id: TaskId): Promise<TaskRow> {
  const task = await unit.tasks.task(id)
  if (task === undefined) throw new NoSuchTask(id)
  return task
}

/** By id or name. @throws `not_found` */
export async function getAgent(unit: Unit, ref: AgentId | string): Promise<AgentRow> {
  const byId = ref.startsWith('a-') ? await unit.tasks.agent(ref as AgentId) : undefined
  const agent = byId ?? (await unit.tasks.agentByName(ref))
  if (agent === undefined)
    throw new AppError('not_found', `There is no agent ${quoted(ref)}.`, {
      hint: 'Run `lode agent list` to see all agents.',
    })
  return agent
}

/** Text of a caller in a message: short, on one line. */
export const quoted = (text: string): string => JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text)
