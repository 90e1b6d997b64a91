import { type RawBuilder, sql } from 'kysely'
import type { TrackerKey } from '../../../domain/ids'
import type { ReadyFilter, ShownIssue } from '../../../domain/issue/issue-store'
import { checkLimit } from '../../sql/cursor'
import type { Value } from '../../sql/program'
import type { ReadContext } from '../../sql/read-context'
import { IS_READY, readyConditions } from '../ready'
import { inTracker, shownWhere } from './list'

/** Walks the index of ready work and stops at the limit. */
export async function readyIssues(
  context: ReadContext,
  tracker: TrackerKey | null,
  filter: ReadyFilter,
  limit: number,
  now: number,
): Promise<ShownIssue[]> {
  const order = sql`i.ready_priority, i.created_at desc, i.public_id limit ${checkLimit(limit, 100_000)}`
  return await shownWhere(context, isReady(tracker, filter, now), order)
}

export async function countReady(
  { db }: ReadContext,
  tracker: TrackerKey | null,
  filter: ReadyFilter,
  now: number,
): Promise<number> {
  if (Object.keys(filter).length > 0) return await counted(db, isReady(tracker, filter, now))
  // All that the index of ready work holds, without the few that only time or a claim keeps out: those are found by themselves.
  const all = await counted(db, sql`i.ready_priority is not null ${inTracker(tracker)}`)
  // `cross join` keeps SQLite from beginning at the longer end, `union all` from sorting all issues to merge the parts.
  const { rows } = await sql<{ n: number }>`
    select count(distinct i.id) as n from (
      select d.id as id from issues d where d.defer_until is not null and d.defer_until > ${now}
      union all select c.issue_id from issue_claims c
      union all select p.issue_id from issues a cross join issue_parents p
       where a.defer_until is not null and a.defer_until > ${now} and a.is_deleted = 0 and a.is_absent = 0
         and p.tracker_id = a.tracker_id and p.parent = a.public_id
    ) held cross join issues i where i.id = held.id and i.ready_priority is not null ${inTracker(tracker)}
  `.execute(db)
  const out = Number(rows[0]?.n ?? 0)
  return all - out
}

async function counted(db: ReadContext['db'], where: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from issues i where ${where}`.execute(db)
  return Number(rows[0]?.n ?? 0)
}

function isReady(tracker: TrackerKey | null, filter: ReadyFilter, now: number): RawBuilder<unknown> {
  const more = readyConditions(filter)
  return sql`${withParameters(IS_READY, [now, now])} ${withParameters(more.sql, more.params)} ${inTracker(tracker)}`
}

/** The same conditions as in a unit of work, where parameters are question marks. */
function withParameters(text: string, params: Value[]): RawBuilder<unknown> {
  const parts = text.split('?').map((part) => sql.raw(part))
  return sql`${sql.join(
    parts.flatMap((part, at) => (at === 0 ? [part] : [sql`${params[at - 1]}`, part])),
    sql``,
  )}`
}
