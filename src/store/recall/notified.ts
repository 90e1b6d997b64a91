import type { IssueKey, SessionId } from '../../domain/ids'
import type { NotifiedReads, NotifiedTx } from '../../domain/recall/notified-store'
import type { Driver } from '../sql/program'
import type { ReadContext } from '../sql/read-context'
import { asInserted } from '../sql/row-statements'
import { statement } from '../sql/statement'

export function notifiedReads({ db }: ReadContext): NotifiedReads {
  return {
    async upTo(session, issue) {
      const row = await db
        .selectFrom('told_changes')
        .select('up_to')
        .where('session_native_id', '=', session)
        .where('issue_id', '=', issue)
        .executeTakeFirst()
      return row?.up_to ?? null
    },
  }
}

/** The port over one connection. @param now  milliseconds since the epoch, of the unit */
export const createNotifiedTx = (driver: Driver, now: () => number): NotifiedTx => ({
  take: (session, issue, upTo) =>
    driver.drive(
      (function* () {
        return (yield* TAKE.changed({ session, issue, upTo, now: now() })) > 0
      })(),
    ),
  forget: (session) => driver.drive(FORGET.run({ session })),
  dropBefore: (time) => driver.drive(DROP.run({ time })),
})

const TAKE = statement<{ session: SessionId; issue: IssueKey; upTo: number; now: number }>()((db, param) =>
  db
    .insertInto('told_changes')
    .values({ session_native_id: param('session'), issue_id: param('issue'), up_to: param('upTo'), at: param('now') })
    .onConflict((conflict) =>
      conflict
        .columns(['session_native_id', 'issue_id'])
        .doUpdateSet(asInserted('told_changes', ['up_to', 'at']))
        .whereRef('told_changes.up_to', '<', 'excluded.up_to'),
    ),
)
const FORGET = statement<{ session: SessionId }>()((db, param) =>
  db.deleteFrom('told_changes').where('session_native_id', '=', param('session')),
)
const DROP = statement<{ time: number }>()((db, param) => db.deleteFrom('told_changes').where('at', '<', param('time')))
