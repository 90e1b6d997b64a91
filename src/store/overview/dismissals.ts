/** What a person took off the list of what needs them: decisions, kept apart from what needs are worked out from. */
import { sql } from 'kysely'
import type { Dismissal, NeedTx } from '../../domain/overview/overview-store'
import type { Driver, Program } from '../sql/program'
import type { ReadContext } from '../sql/read-context'
import { statement } from '../sql/statement'

export async function dismissedNeeds(
  { db, capabilities }: ReadContext,
  needs: readonly string[],
  now: number,
): Promise<ReadonlyMap<string, Dismissal>> {
  if (needs.length === 0) return new Map()
  const { rows } = await sql<{ need_id: string; at: number; snoozed_until: number | null }>`
    select need_id, at, snoozed_until from need_dismissals
     where ${capabilities.inTexts(sql.ref('need_id'), needs)}
       and (snoozed_until is null or snoozed_until > ${now})`.execute(db)
  return new Map(
    rows.map((row) => [
      row.need_id,
      { at: Number(row.at), until: row.snoozed_until === null ? null : Number(row.snoozed_until) },
    ]),
  )
}

export async function hasDismissedBefore({ db }: ReadContext, before: number): Promise<boolean> {
  const { rows } = await sql`select 1 as one from need_dismissals where at < ${before} limit 1`.execute(db)
  return rows.length > 0
}

/** The port over one connection. */
export const createNeedTx = (driver: Driver): NeedTx => ({
  dismiss: (id, by, now) => driver.drive(dismiss(id, by, now)),
  snooze: (id, by, now, until) => driver.drive(snooze(id, by, now, until)),
  forgetBefore: (before, limit) => driver.drive(forgetBefore(before, limit)),
})

const DISMISS = statement<{ id: string; now: number; by: string }>()((db, param) =>
  db
    .insertInto('need_dismissals')
    .values({ need_id: param('id'), at: param('now'), dismissed_by: param('by'), snoozed_until: null })
    // What was put off is dismissed now; what was dismissed stays as it was.
    .onConflict((conflict) =>
      conflict
        .column('need_id')
        .doUpdateSet({ at: param('now'), dismissed_by: param('by'), snoozed_until: null })
        .where('need_dismissals.snoozed_until', 'is not', null),
    ),
)
const SNOOZE = statement<{ id: string; now: number; by: string; until: number }>()((db, param) =>
  db
    .insertInto('need_dismissals')
    .values({ need_id: param('id'), at: param('now'), dismissed_by: param('by'), snoozed_until: param('until') })
    .onConflict((conflict) =>
      conflict
        .column('need_id')
        .doUpdateSet({ at: param('now'), dismissed_by: param('by'), snoozed_until: param('until') })
        .where('need_dismissals.snoozed_until', 'is not', null),
    ),
)
const DISMISSED = statement<{ id: string }>()((db, param) =>
  db.selectFrom('need_dismissals').select('at').where('need_id', '=', param('id')),
)

function* dismiss(id: string, by: string, now: number): Program<{ at: number; isNew: boolean }> {
  if ((yield* DISMISS.changed({ id, now, by })) > 0) return { at: now, isNew: true }
  const row = yield* DISMISSED.first({ id })
  return { at: row?.at ?? now, isNew: false }
}

function* snooze(id: string, by: string, now: number, until: number): Program<boolean> {
  return (yield* SNOOZE.changed({ id, now, by, until })) > 0
}

const FORGET = statement<{ before: number; limit: number }>()((db, param) =>
  db
    .deleteFrom('need_dismissals')
    .where('need_id', 'in', (eb) =>
      eb
        .selectFrom('need_dismissals as n')
        .select('n.need_id')
        .where('n.at', '<', param('before'))
        .orderBy('n.at')
        .limit(param('limit')),
    ),
)

const forgetBefore = (before: number, limit: number): Program<number> => FORGET.changed({ before, limit })
