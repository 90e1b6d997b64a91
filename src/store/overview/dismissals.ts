/** What a person took off the list of what needs them: decisions, kept apart from what needs are worked out from. */
import { sql } from 'kysely'
import type { NeedTx } from '../../domain/overview/overview-store'
import { type Driver, first, type Program, run } from '../sql/program'
import type { ReadContext } from '../sql/read-context'

export async function dismissedNeeds(
  { db, capabilities }: ReadContext,
  needs: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (needs.length === 0) return new Map()
  const { rows } = await sql<{ need_id: string; at: number }>`
    select need_id, at from need_dismissals where ${capabilities.inTexts(sql.ref('need_id'), needs)}`.execute(db)
  return new Map(rows.map((row) => [row.need_id, Number(row.at)]))
}

export async function hasDismissedBefore({ db }: ReadContext, before: number): Promise<boolean> {
  const { rows } = await sql`select 1 as one from need_dismissals where at < ${before} limit 1`.execute(db)
  return rows.length > 0
}

/** The port over one connection. */
export const createNeedTx = (driver: Driver): NeedTx => ({
  dismiss: (id, by, now) => driver.drive(dismiss(id, by, now)),
  forgetBefore: (before, limit) => driver.drive(forgetBefore(before, limit)),
})

function* dismiss(id: string, by: string, now: number): Program<{ at: number; isNew: boolean }> {
  const added = yield* run(
    'insert into need_dismissals (need_id, at, dismissed_by) values (?, ?, ?) on conflict (need_id) do nothing',
    id,
    now,
    by,
  )
  if (added > 0) return { at: now, isNew: true }
  const row = yield* first<{ at: number }>('select at from need_dismissals where need_id = ?', id)
  return { at: Number(row?.at ?? now), isNew: false }
}

function* forgetBefore(before: number, limit: number): Program<number> {
  return yield* run(
    'delete from need_dismissals where need_id in (select need_id from need_dismissals where at < ? order by at limit ?)',
    before,
    limit,
  )
}
