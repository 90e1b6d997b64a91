import { sql } from 'kysely'
import type { InboxTx, NewReplyRow, ReplyRow, SourceRow } from '../../../domain/inbox'
import { perDialect, type TaskDialect } from '../../sql/dialect'
import type { Program } from '../../sql/program'
import { asInserted, insertRow, selectRows, updateRow } from '../../sql/row-statements'
import { statement } from '../../sql/statement'
import { REPLY, SOURCE } from '../rows'

const INSERT = insertRow(REPLY, REPLY.names('key'))

const BY_ID = perDialect(({ lock }) =>
  statement<{ id: string }>()((db, param) =>
    selectRows(db, REPLY).where('t.public_id', '=', param('id')).modifyEnd(sql.raw(lock)),
  ),
)
/** Several servers take different ones: what one holds is passed over. */
const DUE = perDialect(({ lockFree }) =>
  statement<{ now: number; limit: number }>()((db, param) =>
    selectRows(db, REPLY)
      .where('t.status', '=', 'waiting')
      .where('t.next_at', 'is not', null)
      .where('t.next_at', '<=', param('now'))
      .orderBy('t.next_at')
      .orderBy('t.id')
      .limit(param('limit'))
      .modifyEnd(sql.raw(lockFree)),
  ),
)
export const ANY_DUE = statement<{ now: number }>()((db, param) =>
  db
    .selectFrom('inbox_replies')
    .select('id')
    .where('status', '=', 'waiting')
    .where('next_at', 'is not', null)
    .where('next_at', '<=', param('now'))
    .limit(1),
)
const WAITING = perDialect(({ lock }) =>
  statement<{ source: string; limit: number }>()((db, param) =>
    selectRows(db, REPLY)
      .where('t.status', '=', 'waiting')
      .where('t.source', '=', param('source'))
      .where('t.next_at', 'is', null)
      .orderBy('t.id')
      .limit(param('limit'))
      .modifyEnd(sql.raw(lock)),
  ),
)

export function* insertReply(row: NewReplyRow): Program<void> {
  yield* INSERT.run(row)
}

export function* findReply(db: TaskDialect, id: string): Program<ReplyRow | undefined> {
  return yield* BY_ID(db).first({ id })
}

const COUNT = statement<{ key: number }>()((db, param) =>
  db
    .selectFrom('inbox_replies')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('inbox_id', '=', param('key')),
)

export function* countReplies(key: number): Program<number> {
  return (yield* COUNT.first({ key }))?.n ?? 0
}

export function* updateReply(id: string, patch: Parameters<InboxTx['updateReply']>[1]): Program<void> {
  yield* updateRow(REPLY, patch, id, { by: 'public_id' })
}

export function* dueReplies(db: TaskDialect, now: number, limit: number): Program<ReplyRow[]> {
  return yield* DUE(db).rows({ now, limit })
}

export function* waitingReplies(db: TaskDialect, source: string, limit: number): Program<ReplyRow[]> {
  return yield* WAITING(db).rows({ source, limit })
}

const PUT_SOURCE = insertRow(SOURCE, SOURCE.names(), [], (insert) =>
  insert.onConflict((conflict) =>
    conflict
      .column('name')
      .doUpdateSet(asInserted('inbox_sources', ['secret', 'callback', 'lead_address', 'auto_delegate'])),
  ),
)
const SOURCE_BY_NAME = perDialect(({ lock }) =>
  statement<{ name: string }>()((db, param) =>
    selectRows(db, SOURCE).where('t.name', '=', param('name')).modifyEnd(sql.raw(lock)),
  ),
)

export function* findSource(db: TaskDialect, name: string): Program<SourceRow | undefined> {
  const row = yield* SOURCE_BY_NAME(db).first({ name })
  return row && SOURCE.read(row)
}

export function* putSource(row: SourceRow): Program<void> {
  yield* PUT_SOURCE.run(row)
}

const REMOVE_SOURCE = statement<{ name: string }>()((db, param) =>
  db.deleteFrom('inbox_sources').where('name', '=', param('name')),
)

export function* removeSource(name: string): Program<boolean> {
  return (yield* REMOVE_SOURCE.changed({ name })) > 0
}

const COUNT_SOURCES = statement()((db) =>
  db.selectFrom('inbox_sources').select((eb) => eb.fn.countAll<number>().as('n')),
)

export function* countSources(): Program<number> {
  return (yield* COUNT_SOURCES.first())?.n ?? 0
}
