import { sql } from 'kysely'
import type { AuditHead, AuditRow, AuditTx } from '../../domain/audit'
import { perDialect, type TaskDialect } from '../sql/dialect'
import type { Driver, Program } from '../sql/program'
import { insertRow } from '../sql/row-statements'
import { statement } from '../sql/statement'
import { AUDIT_LINE } from './rows'

/** The port over one connection. */
export const createAuditTx = (driver: Driver, db: TaskDialect): AuditTx => ({
  head: () => driver.drive(head(db)),
  append: (row) => driver.drive(append(row)),
})

const HEAD = perDialect(({ lock }) =>
  statement()((db) => db.selectFrom('audit_head as t').select(['t.number', 't.hash']).modifyEnd(sql.raw(lock))),
)
const INSERT = insertRow(AUDIT_LINE, AUDIT_LINE.names())
const MOVE_HEAD = statement<AuditHead>()((db, param) =>
  db.updateTable('audit_head').set({ number: param('number'), hash: param('hash') }),
)

function* head(db: TaskDialect): Program<AuditHead> {
  const found = yield* HEAD(db).first()
  // The migration made the row. Without it the chain can't go on, and nothing that belongs into it may happen.
  if (found === undefined) throw new Error('The audit log has lost its head.')
  return found
}

function* append(row: AuditRow): Program<void> {
  yield* INSERT.run(row)
  yield* MOVE_HEAD.run({ number: row.number, hash: row.hash })
}
