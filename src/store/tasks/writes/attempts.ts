import { AppError } from '../../../domain/errors'
import { type AgentKey, type AttemptId, type AttemptKey, attemptKey, type TaskKey } from '../../../domain/ids'
import type { AttemptPatch, AttemptRow, NewAttempt } from '../../../domain/task/task-store'
import { perText, type TaskDialect } from '../../sql/dialect'
import { first, insert, type Program, rows, run } from '../../sql/program'
import { ATTEMPT, ATTEMPT_COLUMNS, readAttempt } from '../rows'
import type { ReadTasks } from './read-tasks'

const NEW_FIELDS = ATTEMPT.names('key', 'startedAt')

const INSERT = ATTEMPT.insert(NEW_FIELDS, ['started_at'])
const SELECT = perText(
  (where) => `select ${ATTEMPT_COLUMNS} from attempts a join tasks t on t.id = a.task_id where ${where}`,
)

/**
 * It begins no earlier than the one before it ended: `now` is that of the unit's beginning, and another server's unit, for which this one
 * waited, may have ended that one later, or by a clock that is ahead.
 *
 * @throws `conflict` the task has a live attempt, or one of this number, already
 */
export function* insertAttempt(now: number, row: NewAttempt): Program<AttemptKey> {
  const before = row.number === 1 ? undefined : yield* newestAttempt(row.taskKey)
  const startedAt = Math.max(now, before?.endedAt ?? 0)
  const id = yield* insert(`${INSERT} on conflict do nothing`, ...ATTEMPT.values(row, NEW_FIELDS), startedAt)
  if (id === null) throw new AppError('conflict', `another attempt of this task is live, or is ${row.id}`)
  return attemptKey(id)
}

export function* attempt(db: TaskDialect, id: AttemptId): Program<AttemptRow | undefined> {
  yield* lockTasks(db, 'a.public_id = ?', id)
  return yield* firstAttempt('a.public_id = ?', id)
}

export function* liveAttempt(db: TaskDialect, read: ReadTasks, task: TaskKey): Program<AttemptRow | undefined> {
  if (read.get(task) === undefined) yield* lockTasks(db, 'a.task_id = ? and a.ended_at is null', task)
  return yield* firstAttempt('a.task_id = ? and a.ended_at is null', task)
}

export const newestAttempt = (task: TaskKey): Program<AttemptRow | undefined> =>
  firstAttempt('a.task_id = ? order by a.number desc limit 1', task)

export function* liveAttempts(db: TaskDialect, agent: AgentKey): Program<AttemptRow[]> {
  const where = 'a.agent_id = ? and a.ended_at is null order by a.task_id'
  yield* lockTasks(db, where, agent)
  return yield* selectAttempts(where, agent)
}

export function* updateAttempt(key: AttemptKey, patch: AttemptPatch): Program<void> {
  const update = ATTEMPT.update(patch)
  if (update) yield* run(update.sql, ...update.params, key)
}

export function* renewLeases(db: TaskDialect, keys: AttemptKey[], now: number): Program<AttemptKey[]> {
  if (keys.length === 0) return []
  const only = keys.length === 1 ? keys[0] : undefined
  const given = only ?? db.keyList(keys)
  const among = (column: string): string => (only === undefined ? db.inKeys(column) : `${column} = ?`)
  yield* lockTasks(db, `${among('a.id')} order by t.id`, given)
  const renewed = yield* rows<{ id: number }>(
    `update attempts set lease_expires_at = lease_ms + ? where ${among('id')} and ended_at is null returning id`,
    now,
    given,
  )
  return renewed.map(({ id }) => attemptKey(id))
}

export function* expired(db: TaskDialect, now: number, limit: number): Program<AttemptRow[]> {
  const late = yield* rows<{ id: number }>(
    `select a.id as id from attempts a join tasks t on t.id = a.task_id
      where a.ended_at is null and a.lease_expires_at < ? order by a.lease_expires_at, a.id limit ?${db.lockFree}`,
    now,
    limit,
  )
  if (late.length === 0) return []
  // Again, under the tasks' locks: a renewal may have been first.
  return yield* selectAttempts(
    `${db.inKeys('a.id')} and a.ended_at is null and a.lease_expires_at < ? order by a.lease_expires_at, a.id`,
    db.keyList(late.map(({ id }) => id)),
    now,
  )
}

export function* extendAllLeases(db: TaskDialect, now: number): Program<number> {
  yield* lockTasks(db, 'a.ended_at is null order by t.id')
  return yield* run('update attempts set lease_expires_at = lease_ms + ? where ended_at is null', now)
}

/**
 * @param coarseMs  not written more often: a task that only waits must not cost the disk a commit a second. A look that is written late
 *   gives leases more time, not less
 */
export function* leaseClock(lock: string, now: number, coarseMs: number): Program<number> {
  const last = yield* first<{ at: number }>(`select at from lease_clock${lock}`)
  const at = last?.at ?? 0
  if (Math.abs(now - at) >= coarseMs) yield* run('update lease_clock set at = ?', now)
  return at
}

function* firstAttempt(where: string, param: string | number): Program<AttemptRow | undefined> {
  const found = yield* first<object>(SELECT(where), param)
  return found && readAttempt(found)
}

function* selectAttempts(where: string, ...params: (string | number)[]): Program<AttemptRow[]> {
  return (yield* rows<object>(SELECT(where), ...params)).map(readAttempt)
}

/**
 * Takes the tasks of attempts before the attempts are read: a task's row is the lock of its attempts, and who waited for it
 * then reads what the other unit has left.
 */
function* lockTasks(db: TaskDialect, where: string, ...params: (string | number)[]): Program<void> {
  if (db.lock === '') return
  yield* rows(`select 1 as held from attempts a join tasks t on t.id = a.task_id where ${where}${db.lock}`, ...params)
}
