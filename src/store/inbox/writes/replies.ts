import type { InboxTx, NewReplyRow, ReplyRow, SourceRow } from '../../../domain/inbox'
import { perDialect, type TaskDialect } from '../../sql/dialect'
import { first, type Program, rows, run } from '../../sql/program'
import { REPLY, SOURCE } from '../rows'

const FIELDS = REPLY.names('key')

const INSERT = REPLY.insert(FIELDS)
const SELECT = `select ${REPLY.select('t')} from inbox_replies t`
const BY_ID = perDialect((db) => `${SELECT} where t.public_id = ?${db.lock}`)
/** Of several servers each takes others: what one holds is passed over. */
const DUE = perDialect(
  (db) =>
    `${SELECT} where t.status = 'waiting' and t.next_at is not null and t.next_at <= ? order by t.next_at, t.id limit ?${db.lockFree}`,
)
const WAITING = perDialect(
  (db) => `${SELECT} where t.status = 'waiting' and t.source = ? and t.next_at is null order by t.id limit ?${db.lock}`,
)

export function* insertReply(row: NewReplyRow): Program<void> {
  yield* run(INSERT, ...REPLY.values(row, FIELDS))
}

export function* findReply(db: TaskDialect, id: string): Program<ReplyRow | undefined> {
  const row = yield* first<object>(BY_ID(db), id)
  return row && REPLY.read(row)
}

export function* countReplies(key: number): Program<number> {
  const row = yield* first<{ n: number }>('select count(*) as n from inbox_replies where inbox_id = ?', key)
  return Number(row?.n ?? 0)
}

export function* updateReply(id: string, patch: Parameters<InboxTx['updateReply']>[1]): Program<void> {
  const update = REPLY.update(patch, {}, 'public_id')
  if (update !== undefined) yield* run(update.sql, ...update.params, id)
}

export function* dueReplies(db: TaskDialect, now: number, limit: number): Program<ReplyRow[]> {
  return (yield* rows<object>(DUE(db), now, limit)).map((row) => REPLY.read(row))
}

export function* waitingReplies(db: TaskDialect, source: string, limit: number): Program<ReplyRow[]> {
  return (yield* rows<object>(WAITING(db), source, limit)).map((row) => REPLY.read(row))
}

const SOURCE_FIELDS = SOURCE.names()
const PUT = `${SOURCE.insert(SOURCE_FIELDS)} on conflict (name) do update set
  secret = excluded.secret, callback = excluded.callback, lead_address = excluded.lead_address`
const SOURCE_BY_NAME = perDialect(
  (db) => `select ${SOURCE.select('t')} from inbox_sources t where t.name = ?${db.lock}`,
)

export function* findSource(db: TaskDialect, name: string): Program<SourceRow | undefined> {
  const row = yield* first<object>(SOURCE_BY_NAME(db), name)
  return row && SOURCE.read(row)
}

export function* putSource(row: SourceRow): Program<void> {
  yield* run(PUT, ...SOURCE.values(row, SOURCE_FIELDS))
}

export function* removeSource(name: string): Program<boolean> {
  return (yield* run('delete from inbox_sources where name = ?', name)) > 0
}

export function* countSources(): Program<number> {
  const row = yield* first<{ n: number }>('select count(*) as n from inbox_sources')
  return Number(row?.n ?? 0)
}
