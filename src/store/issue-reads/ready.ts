import { type RawBuilder, sql } from 'kysely'
import type { TrackerKey } from '../../domain/ids'
import type { ReadyFilter, ShownIssue } from '../../domain/issue-store'
import { checkLimit } from '../cursor'
import { IS_READY, readyConditions } from '../issues/find'
import type { ReadContext } from '../read-context'
import type { Value } from '../record/program'
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
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from issues i where ${isReady(tracker, filter, now)}
  `.execute(db)
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
