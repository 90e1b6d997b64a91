/** Sub-agents of whose own lines none is recorded: nobody knows what they used, and no sum counts it. */
import { sql } from 'kysely'
import type { ReadContext } from './sql/read-context'

/** Whether a row `a` of `subagents` is one. The first two conditions are those of an index. */
export const IS_UNSEEN = `(a.kind = 'agent' and a.event_count = 0 and not exists (
  select 1 from usage_totals used where used.session_id = a.session_id and used.subagent_id = a.id))`

/** How many there are in each of these sessions; sessions without one are left out. */
export async function countUnseen(
  { db, capabilities }: ReadContext,
  sessions: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  if (sessions.length === 0) return new Map()
  const { rows } = await sql<{ session: number; count: number }>`
    select a.session_id as session, count(*) as count from subagents a
     where ${sql.raw(IS_UNSEEN)} and ${capabilities.inKeys(sql.ref<number>('a.session_id'), sessions)} group by a.session_id
  `.execute(db)
  return new Map(rows.map(({ session, count }) => [Number(session), Number(count)]))
}

/** Which of a session's sub-agents they are. */
export async function readUnseen({ db }: ReadContext, session: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select a.id from subagents a where ${sql.raw(IS_UNSEEN)} and a.session_id = ${session}
  `.execute(db)
  return rows.map(({ id }) => Number(id))
}
