import type { SessionId } from '../../domain/ids'
import type { HandoffReads, HandoffTx } from '../../domain/recall/handoff-store'
import type { Handoff } from '../../domain/recall/recall'
import type { Driver } from '../sql/program'
import { isoTime, type ReadContext } from '../sql/read-context'
import { statement } from '../sql/statement'

export function handoffReads({ db }: ReadContext): HandoffReads {
  return {
    async newest(limit, which = 'all') {
      const rows = await db
        .selectFrom('handoffs')
        .selectAll()
        .$if(which === 'open', (query) => query.where('given_to', 'is', null))
        .orderBy('at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute()
      return rows.map(
        ({ at, session_native_id, issue_id, given_to, given_at, ...texts }): Handoff => ({
          ...texts,
          at: isoTime(at),
          sessionId: session_native_id,
          issueId: issue_id,
          givenTo: given_to,
          givenAt: isoTime(given_at),
        }),
      )
    },
  }
}

/** The port over one connection. @param now  milliseconds since the epoch, of the unit */
export const createHandoffTx = (driver: Driver, now: () => number): HandoffTx => ({
  add: ({ at, givenAt, ...handoff }) =>
    driver.drive(ADD.run({ ...handoff, at: Date.parse(at), givenAt: givenAt === null ? null : Date.parse(givenAt) })),
  take: (id, session) =>
    driver.drive(
      (function* () {
        return (yield* TAKE.changed({ id, session, now: now() })) > 0
      })(),
    ),
  forget: (session) => driver.drive(FORGET.changed({ session })),
})

type Row = Omit<Handoff, 'at' | 'givenAt'> & { at: number; givenAt: number | null }

const ADD = statement<Row>()((db, param) =>
  db
    .insertInto('handoffs')
    .values({
      id: param('id'),
      at: param('at'),
      session_native_id: param('sessionId'),
      folder: param('folder'),
      issue_id: param('issueId'),
      goal: param('goal'),
      state: param('state'),
      evidence: param('evidence'),
      next: param('next'),
      note: param('note'),
      given_to: param('givenTo'),
      given_at: param('givenAt'),
    })
    .onConflict((conflict) => conflict.column('id').doNothing()),
)
const TAKE = statement<{ id: string; session: SessionId; now: number }>()((db, param) =>
  db
    .updateTable('handoffs')
    .set({ given_to: param('session'), given_at: param('now') })
    .where('id', '=', param('id'))
    .where('given_to', 'is', null),
)
const FORGET = statement<{ session: SessionId }>()((db, param) =>
  db.deleteFrom('handoffs').where('session_native_id', '=', param('session')),
)
