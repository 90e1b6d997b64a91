import { AppError } from '../../../domain/errors'
import { type AgentKey, type TaskId, type TaskKey, taskKey } from '../../../domain/ids'
import type { NewTask, TaskPatch, TaskRow } from '../../../domain/task/task-store'
import { perDialect, perText, type TaskDialect } from '../../sql/dialect'
import { first, insert, type Program, rows, run, type Value } from '../../sql/program'
import { capabilitySet } from '../capability-sets'
import { TASK } from '../rows'
import type { ReadTasks } from './read-tasks'

/** Columns of a select from `tasks t`. */
export const TASK_COLUMNS = TASK.select('t')

const NEW_FIELDS = TASK.names('key', 'createdAt', 'updatedAt')

const INSERT = TASK.insert(NEW_FIELDS, ['capability_set', 'created_at', 'updated_at'])

export function* insertTask(read: ReadTasks, now: number, row: NewTask): Program<TaskRow> {
  const set = yield* capabilitySet(row.requiredCapabilities)
  const values = TASK.values(row, NEW_FIELDS)
  const id = yield* insert(`${INSERT} on conflict (public_id) do nothing`, ...values, set, now, now)
  if (id === null) throw new AppError('conflict', `there is a task ${row.id} already`)
  return read.inserted(taskKey(id), row, now)
}

const SELECT_BY_ID = perDialect((db) => `select ${TASK_COLUMNS} from tasks t where t.public_id = ?${db.lock}`)
const SELECT_BY_KEY = perDialect((db) => `select ${TASK_COLUMNS} from tasks t where t.id = ?${db.lock}`)

export function* task(db: TaskDialect, read: ReadTasks, id: TaskId): Program<TaskRow | undefined> {
  const found = yield* first(SELECT_BY_ID(db), id)
  return read.read(found && TASK.read(found as object))
}

export function* taskByKey(db: TaskDialect, read: ReadTasks, key: TaskKey): Program<TaskRow | undefined> {
  const found = yield* first(SELECT_BY_KEY(db), key)
  return read.read(found && TASK.read(found as object))
}

export function* updateTask(read: ReadTasks, now: number, key: TaskKey, patch: TaskPatch): Program<void> {
  if (Object.values(patch).every((value) => value === undefined)) return
  const changes = read.changes(key, patch)
  const more: Record<string, Value> = { updated_at: now }
  if (changes.requiredCapabilities !== undefined)
    more.capability_set = yield* capabilitySet(changes.requiredCapabilities)
  const update = TASK.update(changes, more)
  if (update) yield* run(update.sql, ...update.params, key)
  read.updated(key, changes, now)
}

const SELECT = perText((where) => `select ${TASK_COLUMNS} from tasks t where ${where}`)

/** Some rows of `tasks t`: `where` and what follows it. */
export function* selectTasks(where: string, ...params: (string | number)[]): Program<TaskRow[]> {
  const found = yield* rows<object>(SELECT(where), ...params)
  return found.map((row) => TASK.read(row))
}

export const due = (db: TaskDialect, now: number, limit: number): Program<TaskRow[]> =>
  selectTasks(`t.due_at <= ? order by t.due_at, t.id limit ?${db.lockFree}`, now, limit)

export const pausedByShutdown = (db: TaskDialect, agent: AgentKey): Program<TaskRow[]> =>
  selectTasks(`t.agent_id = ? and t.status = 'paused' and t.paused_by = 'shutdown' order by t.id${db.lock}`, agent)

export const affine = (db: TaskDialect, agent: AgentKey): Program<TaskRow[]> =>
  selectTasks(
    `t.agent_id = ? and t.assigned_by in ('affinity', 'offer') and t.status in ('backlog', 'unassigned', 'pending')
     order by t.id${db.lock}`,
    agent,
  )
