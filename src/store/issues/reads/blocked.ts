import { sql } from 'kysely'
import type { IssueId, TrackerKey } from '../../../domain/ids'
import type { BlockedIssue } from '../../../domain/issue/issue-store'
import type { ReadContext } from '../../sql/read-context'
import { HOLDS, IS_GATE_SHUT, IS_THERE as THERE } from '../writes/blocked'
import { inTracker, shownWhere } from './list'

/** Issues that are held up, with what holds them up by edges of their own; none = it is a parent that is blocked. */
export async function blockedIssues(
  context: ReadContext,
  tracker: TrackerKey | null,
  limit: number,
): Promise<BlockedIssue[]> {
  const where = sql`i.open_priority is not null and i.is_blocked = 1 ${inTracker(tracker)}`
  const order = sql`i.open_priority, i.created_at desc, i.public_id limit ${limit}`
  const issues = await shownWhere(context, where, order)
  const { rows } = await sql<{ id: IssueId; by: IssueId }>`
    select i.public_id as id, d.depends_on as by from issues i join issue_dependencies d on d.issue_id = i.id
      left join issues b on b.tracker_id = d.tracker_id and b.public_id = d.depends_on and ${sql.raw(THERE('b'))}
     where i.is_blocked = 1 ${inTracker(tracker)} and d.type in ('blocks', 'conditional-blocks') and ${sql.raw(HOLDS)}
    union all
    select i.public_id, c.public_id from issues i join issue_dependencies d on d.issue_id = i.id
      join issue_parents p on p.tracker_id = d.tracker_id and p.parent = d.depends_on
      join issues c on c.id = p.issue_id
     where i.is_blocked = 1 ${inTracker(tracker)} and d.type = 'waits-for' and c.is_over = 0 and ${sql.raw(THERE('c'))}
       and ${sql.raw(IS_GATE_SHUT)}
  `.execute(context.db)
  const by = new Map<IssueId, IssueId[]>()
  for (const row of rows) by.set(row.id, [...(by.get(row.id) ?? []), row.by])
  return issues.map((issue) => ({ ...issue, blockedBy: [...new Set(by.get(issue.id) ?? [])].sort() }))
}
