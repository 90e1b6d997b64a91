import { type Kysely, sql } from 'kysely'
import { AppError } from '../../../domain/errors'
import {
  type AgentKey,
  type AgentName,
  type AttemptId,
  type SessionId,
  type TaskId,
  type TaskKey,
  taskKey,
} from '../../../domain/ids'
import type { NewTask, TaskPatch, TaskRow } from '../../../domain/task/task-store'
import { perDialect, type TaskDialect } from '../../sql/dialect'
import type { Program } from '../../sql/program'
import { insertRow, selectRows, updateRow } from '../../sql/row-statements'
import { statement } from '../../sql/statement'
import type { Schema } from '../../sql/tables'
import { capabilitySet } from '../capability-sets'
import { TASK } from '../rows'
import type { ReadTasks } from './read-tasks'

const INSERT = insertRow(
  TASK,
  TASK.names('key', 'createdAt', 'updatedAt'),
  ['capability_set', 'created_at', 'updated_at'],
  (insert) => insert.onConflict((conflict) => conflict.column('public_id').doNothing()),
)

export function* insertTask(read: ReadTasks, now: number, row: NewTask): Program<TaskRow> {
  const set = yield* capabilitySet({ ...row, share: row.share ?? null })
  const id = yield* INSERT.insert(row, { capability_set: set, created_at: now, updated_at: now })
  if (id === null) throw new AppError('conflict', `A task ${row.id} already exists.`)
  return read.inserted(taskKey(id), row, now)
}

/** Rows of `tasks t`. */
const tasks = (db: Kysely<Schema>) => selectRows(db, TASK)

const BY_ID = perDialect(({ lock }) =>
  statement<{ id: TaskId }>()((db, param) => tasks(db).where('t.public_id', '=', param('id')).modifyEnd(sql.raw(lock))),
)
const BY_KEY = perDialect(({ lock }) =>
  statement<{ key: TaskKey }>()((db, param) => tasks(db).where('t.id', '=', param('key')).modifyEnd(sql.raw(lock))),
)

export function* task(db: TaskDialect, read: ReadTasks, id: TaskId): Program<TaskRow | undefined> {
  const row = yield* BY_ID(db).first({ id })
  return read.read(row && TASK.read(row))
}

export function* taskByKey(db: TaskDialect, read: ReadTasks, key: TaskKey): Program<TaskRow | undefined> {
  const row = yield* BY_KEY(db).first({ key })
  return read.read(row && TASK.read(row))
}

const OF_ATTEMPT = perDialect(({ lock }) =>
  statement<{ id: AttemptId }>()((db, param) =>
    tasks(db)
      .where((eb) =>
        eb('t.id', '=', db.selectFrom('attempts as a').select('a.task_id').where('a.public_id', '=', param('id'))),
      )
      .modifyEnd(sql.raw(lock)),
  ),
)

export function* taskOfAttempt(db: TaskDialect, read: ReadTasks, id: AttemptId): Program<TaskRow | undefined> {
  const row = yield* OF_ATTEMPT(db).first({ id })
  return read.read(row && TASK.read(row))
}

export function* updateTask(read: ReadTasks, now: number, key: TaskKey, patch: TaskPatch): Program<void> {
  if (Object.values(patch).every((value) => value === undefined)) return
  const changes = read.changes(key, patch)
  const set = yield* changedSet(read, key, changes)
  yield* updateRow(TASK, changes, key, {
    more: { updated_at: now, ...(set !== undefined && { capability_set: set }) },
  })
  read.updated(key, changes, now)
}

/** The set of a task that changes what it asks for; `undefined` = it asks for the same. */
function* changedSet(read: ReadTasks, key: TaskKey, changes: TaskPatch): Program<number | undefined> {
  const { requiredCapabilities: capabilities, neededClis: clis } = changes
  if (capabilities === undefined && clis === undefined) return undefined
  const before = read.get(key) ?? (yield* ASKED.first({ key }))
  if (before === undefined) return undefined
  const listOf = (value: string | string[]): string[] =>
    typeof value === 'string' ? (JSON.parse(value) as string[]) : value
  return yield* capabilitySet({
    requiredCapabilities: capabilities ?? listOf(before.requiredCapabilities),
    neededClis: clis ?? listOf(before.neededClis),
    share: before.share,
  })
}

const ASKED = statement<{ key: TaskKey }>()((db, param) =>
  db
    .selectFrom('tasks')
    .select(['required_capabilities as requiredCapabilities', 'needed_clis as neededClis', 'share'])
    .where('id', '=', param('key')),
)

const DUE = perDialect(({ lockFree }) =>
  statement<{ now: number; limit: number }>()((db, param) =>
    tasks(db)
      .where('t.due_at', '<=', param('now'))
      .orderBy('t.due_at')
      .orderBy('t.id')
      .limit(param('limit'))
      .modifyEnd(sql.raw(lockFree)),
  ),
)

export function* due(db: TaskDialect, now: number, limit: number): Program<TaskRow[]> {
  return (yield* DUE(db).rows({ now, limit })).map((row) => TASK.read(row))
}

const AGENT_OF_SESSION = statement<{ id: SessionId }>()((db, param) =>
  db.selectFrom('sessions').select('agent').where('native_id', '=', param('id')),
)

export function* agentOfSession(id: SessionId): Program<AgentName | null> {
  return (yield* AGENT_OF_SESSION.first({ id }))?.agent ?? null
}

const PAUSED_BY_SHUTDOWN = perDialect(({ lock }) =>
  statement<{ agent: AgentKey }>()((db, param) =>
    tasks(db)
      .where('t.agent_id', '=', param('agent'))
      .where('t.status', '=', 'paused')
      .where('t.paused_by', '=', 'shutdown')
      .orderBy('t.id')
      .modifyEnd(sql.raw(lock)),
  ),
)

export function* pausedByShutdown(db: TaskDialect, agent: AgentKey): Program<TaskRow[]> {
  return (yield* PAUSED_BY_SHUTDOWN(db).rows({ agent })).map((row) => TASK.read(row))
}

const AFFINE = perDialect(({ lock }) =>
  statement<{ agent: AgentKey }>()((db, param) =>
    tasks(db)
      .where('t.agent_id', '=', param('agent'))
      .where('t.assigned_by', 'in', ['affinity', 'offer'])
      .where('t.status', 'in', ['backlog', 'unassigned', 'pending'])
      .orderBy('t.id')
      .modifyEnd(sql.raw(lock)),
  ),
)

export function* affine(db: TaskDialect, agent: AgentKey): Program<TaskRow[]> {
  return (yield* AFFINE(db).rows({ agent })).map((row) => TASK.read(row))
}
