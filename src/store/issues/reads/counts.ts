import { sql } from 'kysely'
import type { TrackerKey } from '../../../domain/ids'
import type { IssueCounts } from '../../../domain/issue/issue-store'
import type { ReadContext } from '../../sql/read-context'
import { IS_THERE, inTracker } from './list'
import { countReady } from './ready'

export async function issueCounts(context: ReadContext, tracker: TrackerKey | null, now: number): Promise<IssueCounts> {
  const { db } = context
  const { rows } = await sql<{
    status: string
    type: string
    priority: number
    n: number
    blocked: number
    deferred: number
  }>`
    select i.status as status, i.type as type, i.priority as priority, count(*) as n,
      sum(case when i.is_blocked = 1 then 1 else 0 end) as blocked,
      sum(case when i.status = 'deferred' or i.defer_until > ${now} then 1 else 0 end) as deferred
      from issues i where ${IS_THERE} ${inTracker(tracker)} group by i.status, i.type, i.priority
  `.execute(db)
  const lead = await sql<{ ms: number | null }>`
    select avg(i.closed_at - i.created_at) as ms from issues i
     where ${IS_THERE} and i.category = 'done' and i.closed_at >= i.created_at ${inTracker(tracker)}
  `.execute(db)
  const claimed = await sql<{ n: number }>`
    select count(*) as n from issue_claims c join issues i on i.id = c.issue_id where ${IS_THERE} ${inTracker(tracker)}
  `.execute(db)
  const counts: IssueCounts = {
    total: 0,
    // Types are strangers' words, `__proto__` among them.
    byStatus: Object.create(null),
    byType: Object.create(null),
    byPriority: {},
    blocked: 0,
    ready: await countReady(context, tracker, {}, now),
    deferred: 0,
    claimed: Number(claimed.rows[0]?.n ?? 0),
    leadTimeMs: lead.rows[0]?.ms == null ? null : Math.round(Number(lead.rows[0].ms)),
  }
  for (const row of rows) {
    const n = Number(row.n)
    counts.total += n
    counts.byStatus[row.status] = (counts.byStatus[row.status] ?? 0) + n
    counts.byType[row.type] = (counts.byType[row.type] ?? 0) + n
    counts.byPriority[row.priority] = (counts.byPriority[row.priority] ?? 0) + n
    counts.blocked += Number(row.blocked)
    counts.deferred += Number(row.deferred)
  }
  return counts
}
