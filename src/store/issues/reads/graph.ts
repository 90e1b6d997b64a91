import { sql } from 'kysely'
import { type IssueId, issueId, type TrackerKey } from '../../../domain/ids'
import type { IssueDependency } from '../../../domain/issue/issue'
import type { GraphIssue, IssueTreeNode } from '../../../domain/issue/issue-store'
import type { ReadContext } from '../../sql/read-context'
import { IS_THERE, inTracker } from './list'

export async function issueGraph({ db }: ReadContext, tracker: TrackerKey | null): Promise<GraphIssue[]> {
  const { rows } = await sql<Omit<GraphIssue, 'dependencies' | 'extra'> & { dependencies: string; extra: string }>`
    select i.public_id as id, i.title as title, i.status as status, i.priority as priority, i.type as "issueType",
      i.created_text as "createdAt", i.close_reason as "closeReason", i.defer_text as "deferUntil",
      i.dependencies as dependencies, i.extra as extra
      from issues i where ${IS_THERE} ${inTracker(tracker)} order by i.id
  `.execute(db)
  return rows.map((row) => ({
    ...row,
    dependencies: row.dependencies === '[]' ? [] : (JSON.parse(row.dependencies) as IssueDependency[]),
    extra: row.extra === '{}' ? {} : (JSON.parse(row.extra) as Record<string, unknown>),
  }))
}

interface Reached {
  id: string
  depth: number
  parent: string | null
  edge: string | null
  title: string | null
  status: string | null
  priority: number | null
  type: string | null
}

/**
 * Everything below (or above) an issue over edges of all types, in one query, then as a tree: what is met a second time is shown
 * again without what is below it, so that a circle ends.
 */
export async function issueTree(
  { db }: ReadContext,
  tracker: TrackerKey,
  id: IssueId,
  direction: 'down' | 'up',
  maxDepth: number,
): Promise<IssueTreeNode[]> {
  const step =
    direction === 'down'
      ? sql`select d.depends_on, r.depth + 1, r.id, d.type from reached r
              join issues i on i.tracker_id = ${tracker} and i.public_id = r.id and i.is_deleted = 0
              join issue_dependencies d on d.issue_id = i.id where r.depth < ${maxDepth}`
      : sql`select i.public_id, r.depth + 1, r.id, d.type from reached r
              join issue_dependencies d on d.tracker_id = ${tracker} and d.depends_on = r.id
              join issues i on i.id = d.issue_id and i.is_deleted = 0 where r.depth < ${maxDepth}`
  const first =
    direction === 'down'
      ? sql`select d.depends_on, 1, i.public_id, d.type from issues i join issue_dependencies d on d.issue_id = i.id
             where i.tracker_id = ${tracker} and i.public_id = ${id} and i.is_deleted = 0`
      : sql`select i.public_id, 1, d.depends_on, d.type from issue_dependencies d
              join issues i on i.id = d.issue_id and i.is_deleted = 0
             where d.tracker_id = ${tracker} and d.depends_on = ${id}`
  const { rows } = await sql<Reached>`
    with recursive reached(id, depth, parent, edge) as (${first} union ${step})
    select r.id as id, min(r.depth) as depth, r.parent as parent, r.edge as edge, t.title as title, t.status as status,
      t.priority as priority, t.type as type
      from reached r left join issues t on t.tracker_id = ${tracker} and t.public_id = r.id and t.is_deleted = 0
     group by r.id, r.parent, r.edge, t.title, t.status, t.priority, t.type
     order by 2, 1
  `.execute(db)
  const root = await sql<Reached>`
    select i.public_id as id, 0 as depth, null as parent, null as edge, i.title as title, i.status as status,
      i.priority as priority, i.type as type
      from issues i where i.tracker_id = ${tracker} and i.public_id = ${id} and i.is_deleted = 0
  `.execute(db)
  return root.rows[0] === undefined ? [] : unfold(root.rows[0], rows, maxDepth)
}

/** Depth first, so that a printed list reads as a tree. */
function unfold(root: Reached, rows: Reached[], maxDepth: number): IssueTreeNode[] {
  const below = new Map<string, Reached[]>()
  for (const row of rows) below.set(row.parent ?? '', [...(below.get(row.parent ?? '') ?? []), row])
  const nodes: IssueTreeNode[] = []
  const shown = new Set<string>()
  const stack: { row: Reached; depth: number }[] = [{ row: root, depth: 0 }]
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const { row, depth } = top
    const next = below.get(row.id) ?? []
    const isCut = next.length > 0 && (shown.has(row.id) || depth >= maxDepth)
    nodes.push({
      id: issueId(row.id),
      title: row.title ?? '',
      status: row.status ?? '',
      priority: row.priority ?? 0,
      issueType: row.type ?? '',
      depth,
      parentId: row.parent === null ? null : issueId(row.parent),
      edge: row.edge,
      isCut,
      isMissing: row.title === null,
    })
    if (shown.has(row.id)) continue
    shown.add(row.id)
    if (depth < maxDepth) for (const child of [...next].reverse()) stack.push({ row: child, depth: depth + 1 })
  }
  return nodes
}
