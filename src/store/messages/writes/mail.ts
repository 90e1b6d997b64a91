import type { Address, TaskId, TaskKey } from '../../../domain/ids'
import type { Mail, OpenChild } from '../../../domain/message/mail-store'
import { perDialect, type TaskDialect } from '../../sql/dialect'
import { first, type Program, rows } from '../../sql/program'

/** The address of a task `t`. */
export const ADDRESS_OF_TASK =
  'coalesce((select al.address from address_aliases al where al.alias = t.public_id), t.public_id)'

const MAIL_OF = perDialect(
  (db) => `select t.id as "taskKey", ${ADDRESS_OF_TASK} as "to" from tasks t where ${db.inKeys('t.id')} and (
    exists (select 1 from messages m where m.to_address = ${ADDRESS_OF_TASK} and m.status = 'produced')
    or exists (select 1 from messages m where m.to_address = ${ADDRESS_OF_TASK} and m.status = 'queued'))`,
)

export function* mailOf(db: TaskDialect, tasks: readonly TaskKey[]): Program<{ taskKey: TaskKey; to: Address }[]> {
  return tasks.length === 0 ? [] : yield* rows(MAIL_OF(db), db.keyList(tasks))
}

const MAIL_AT = `select
  (select count(*) from messages where to_address = ? and status = 'produced' and kind <> 'status') as waiting,
  (select count(*) from messages where to_address = ? and status = 'queued') as flying,
  (select count(*) from messages where to_address = ? and status = 'delivered' and kind <> 'status') as delivered`

export function* mailAt(of: Address): Program<Mail> {
  const found = yield* first<Mail>(MAIL_AT, of, of, of)
  return {
    waiting: Number(found?.waiting ?? 0),
    flying: Number(found?.flying ?? 0),
    delivered: Number(found?.delivered ?? 0),
  }
}

const OPEN = `select t.id as "key", t.public_id as id, t.waiting_for as "waitingFor" from tasks t
  where t.status in ('unassigned', 'pending', 'in_progress', 'paused')`

export const openChildren = (of: Address, limit: number): Program<OpenChild[]> =>
  rows(`${OPEN} and t.reply_to = ? and t.creator_agent_id is not null order by t.id limit ?`, of, limit)

export const openTask = (task: TaskKey): Program<OpenChild | undefined> => first(`${OPEN} and t.id = ?`, task)

export function* awaiting(limit: number): Program<Address[]> {
  const found = yield* rows<{ to: Address }>(
    `select ${ADDRESS_OF_TASK} as "to" from tasks t where t.status = 'pending' and t.waiting_for = 'children'
      order by t.id limit ?`,
    limit,
  )
  return found.map(({ to }) => to)
}

export function* speakersFor(of: Address, limit: number): Program<{ id: TaskId; isOpen: boolean }[]> {
  const found = yield* rows<{ id: TaskId; status: string }>(
    `select t.public_id as id, t.status as status from address_aliases al join tasks t on t.public_id = al.alias
      where al.address = ? order by t.id desc limit ?`,
    of,
    limit,
  )
  return found.map(({ id, status }) => ({ id, isOpen: !['completed', 'failed', 'cancelled'].includes(status) }))
}

export function* completedAttempts(task: TaskKey): Program<number> {
  const found = yield* first<{ n: number }>(
    `select count(*) as n from attempts where task_id = ? and outcome = 'completed'`,
    task,
  )
  return Number(found?.n ?? 0)
}
