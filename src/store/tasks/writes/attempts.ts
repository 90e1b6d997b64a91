import { type Kysely, type RawBuilder, sql } from 'kysely'
import { AppError } from '../../../domain/errors'
import { type AgentId, type AttemptId, type AttemptKey, attemptKey, type TaskKey } from '../../../domain/ids'
import type { AttemptPatch, AttemptRow, NewAttempt } from '../../../domain/task/task-store'
import { isAmongKeys } from '../../sql/among'
import { perDialect, type TaskDialect } from '../../sql/dialect'
import type { Program } from '../../sql/program'
import { insertRow, selectRows, updateRow } from '../../sql/row-statements'
import { statement } from '../../sql/statement'
import type { Schema } from '../../sql/tables'
import { ATTEMPT } from '../rows'
import type { ReadTasks } from './read-tasks'

const INSERT = insertRow(ATTEMPT, ATTEMPT.names('key', 'startedAt'), ['started_at'], (insert) =>
  insert.onConflict((conflict) => conflict.doNothing()),
)

/**
 * It begins no earlier than the one before it ended: `now` is that of the unit's beginning, and another server's unit, for which this one
 * waited, may have ended that one later, or by a clock that is ahead.
 *
 * @throws `conflict` the task has a live attempt, or one of this number, already
 */
export function* insertAttempt(now: number, row: NewAttempt): Program<AttemptKey> {
  const before = row.number === 1 ? undefined : yield* newestAttempt(row.taskKey)
  const id = yield* INSERT.insert(row, { started_at: Math.max(now, before?.endedAt ?? 0) })
  if (id === null) throw new AppError('conflict', `Another attempt of this task is live, or has the ID ${row.id}.`)
  return attemptKey(id)
}

const attempts = (db: Kysely<Schema>) =>
  selectRows(db, ATTEMPT, 'a').innerJoin('tasks as t', 't.id', 'a.task_id').select('t.public_id as taskId')

/**
 * Takes the tasks of attempts before the attempts are read: a task's row is the lock of its attempts, and who waited for it
 * then reads what the other unit has left. SQLite has nothing to take.
 */
const held = (db: Kysely<Schema>, lock: string) =>
  db
    .selectFrom('attempts as a')
    .innerJoin('tasks as t', 't.id', 'a.task_id')
    .select(sql.lit(1).as('held'))
    .modifyEnd(sql.raw(lock))

const BY_ID = statement<{ id: AttemptId }>()((db, param) => attempts(db).where('a.public_id', '=', param('id')))
const HOLD_BY_ID = perDialect(({ lock }) =>
  statement<{ id: AttemptId }>()((db, param) => held(db, lock).where('a.public_id', '=', param('id'))),
)

export function* attempt(db: TaskDialect, id: AttemptId): Program<AttemptRow | undefined> {
  if (db.lock !== '') yield* HOLD_BY_ID(db).run({ id })
  const row = yield* BY_ID.first({ id })
  return row && ATTEMPT.read(row)
}

const LIVE = statement<{ task: TaskKey }>()((db, param) =>
  attempts(db).where('a.task_id', '=', param('task')).where('a.ended_at', 'is', null),
)
const HOLD_LIVE = perDialect(({ lock }) =>
  statement<{ task: TaskKey }>()((db, param) =>
    held(db, lock).where('a.task_id', '=', param('task')).where('a.ended_at', 'is', null),
  ),
)

export function* liveAttempt(db: TaskDialect, read: ReadTasks, task: TaskKey): Program<AttemptRow | undefined> {
  if (db.lock !== '' && read.get(task) === undefined) yield* HOLD_LIVE(db).run({ task })
  const row = yield* LIVE.first({ task })
  return row && ATTEMPT.read(row)
}

const NEWEST = statement<{ task: TaskKey }>()((db, param) =>
  attempts(db).where('a.task_id', '=', param('task')).orderBy('a.number', 'desc').limit(1),
)

export function* newestAttempt(task: TaskKey): Program<AttemptRow | undefined> {
  const row = yield* NEWEST.first({ task })
  return row && ATTEMPT.read(row)
}

const LIVE_OF = statement<{ agent: AgentId }>()((db, param) =>
  attempts(db)
    .where('a.agent_id', '=', (eb) =>
      eb.selectFrom('agents as g').select('g.id').where('g.public_id', '=', param('agent')),
    )
    .where('a.ended_at', 'is', null)
    .orderBy('a.task_id'),
)
const HOLD_LIVE_OF = perDialect(({ lock }) =>
  statement<{ agent: AgentId }>()((db, param) =>
    held(db, lock)
      .where('a.agent_id', '=', (eb) =>
        eb.selectFrom('agents as g').select('g.id').where('g.public_id', '=', param('agent')),
      )
      .where('a.ended_at', 'is', null)
      .orderBy('a.task_id'),
  ),
)

/** By the public id, so that a poll need not read the agent before. */
export function* liveAttempts(db: TaskDialect, agent: AgentId): Program<AttemptRow[]> {
  if (db.lock !== '') yield* HOLD_LIVE_OF(db).run({ agent })
  return (yield* LIVE_OF.rows({ agent })).map((row) => ATTEMPT.read(row))
}

export function* updateAttempt(key: AttemptKey, patch: AttemptPatch): Program<void> {
  yield* updateRow(ATTEMPT, patch, key)
}

const renewal = (db: Kysely<Schema>, now: RawBuilder<number>) =>
  db
    .updateTable('attempts')
    .set((eb) => ({ lease_expires_at: eb('lease_ms', '+', now) }))
    .where('ended_at', 'is', null)
const RENEW = perDialect((words) => ({
  hold: statement<{ keys: string }>()((db, param) =>
    held(db, words.lock)
      .where((eb) => isAmongKeys(words, eb.ref('a.id'), param('keys')))
      .orderBy('t.id'),
  ),
  all: statement<{ keys: string; now: number }>()((db, param) =>
    renewal(db, param('now'))
      .where((eb) => isAmongKeys(words, eb.ref('id'), param('keys')))
      .returning('id'),
  ),
  one: statement<{ key: AttemptKey; now: number }>()((db, param) =>
    renewal(db, param('now')).where('id', '=', param('key')).returning('id'),
  ),
}))

export function* renewLeases(db: TaskDialect, keys: AttemptKey[], now: number): Program<AttemptKey[]> {
  const [key, ...others] = keys
  if (key === undefined) return []
  const renew = RENEW(db)
  const list = db.keyList(keys)
  if (db.lock !== '') yield* renew.hold.run({ keys: list })
  const renewed = yield* others.length === 0 ? renew.one.rows({ key, now }) : renew.all.rows({ keys: list, now })
  return renewed.map(({ id }) => id)
}

const LATE = perDialect(({ lockFree }) =>
  statement<{ now: number; limit: number }>()((db, param) =>
    db
      .selectFrom('attempts as a')
      .innerJoin('tasks as t', 't.id', 'a.task_id')
      .select('a.id')
      .where('a.ended_at', 'is', null)
      .where('a.lease_expires_at', '<', param('now'))
      .orderBy('a.lease_expires_at')
      .orderBy('a.id')
      .limit(param('limit'))
      .modifyEnd(sql.raw(lockFree)),
  ),
)
const STILL_LATE = perDialect((words) =>
  statement<{ keys: string; now: number }>()((db, param) =>
    attempts(db)
      .where((eb) => isAmongKeys(words, eb.ref('a.id'), param('keys')))
      .where('a.ended_at', 'is', null)
      .where('a.lease_expires_at', '<', param('now'))
      .orderBy('a.lease_expires_at')
      .orderBy('a.id'),
  ),
)

export function* expired(db: TaskDialect, now: number, limit: number): Program<AttemptRow[]> {
  const late = yield* LATE(db).rows({ now, limit })
  if (late.length === 0) return []
  // Again, under the tasks' locks: a renewal may have been first.
  const found = yield* STILL_LATE(db).rows({ keys: db.keyList(late.map(({ id }) => id)), now })
  return found.map((row) => ATTEMPT.read(row))
}

const HOLD_ALL_LIVE = perDialect(({ lock }) =>
  statement()((db) => held(db, lock).where('a.ended_at', 'is', null).orderBy('t.id')),
)
const EXTEND_ALL = statement<{ now: number }>()((db, param) => renewal(db, param('now')))

export function* extendAllLeases(db: TaskDialect, now: number): Program<number> {
  if (db.lock !== '') yield* HOLD_ALL_LIVE(db).run()
  return yield* EXTEND_ALL.changed({ now })
}

const CLOCK = {
  free: statement()((db) => db.selectFrom('lease_clock').select('at')),
  locked: statement()((db) => db.selectFrom('lease_clock').select('at').forUpdate()),
}
const SET_CLOCK = statement<{ now: number }>()((db, param) => db.updateTable('lease_clock').set({ at: param('now') }))

/**
 * @param coarseMs  not written more often: a task that only waits must not cost the disk a commit a second. A look that is written late
 *   gives leases more time, not less
 */
export function* leaseClock(isLocked: boolean, now: number, coarseMs: number): Program<number> {
  const last = yield* CLOCK[isLocked ? 'locked' : 'free'].first()
  const at = last?.at ?? 0
  if (Math.abs(now - at) >= coarseMs) yield* SET_CLOCK.run({ now })
  return at
}
