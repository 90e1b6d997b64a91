import { sql } from 'kysely'
import { type IssueId, issueId, type TrackerKey } from '../../../domain/ids'
import type { IssueComment } from '../../../domain/issue/issue'
import type { KeptLine } from '../../../domain/issue/issue-file'
import type { ClaimRow, IssueReads, StoredIssue } from '../../../domain/issue/issue-store'
import { checkLimit } from '../../sql/cursor'
import { programDriver } from '../../sql/program-driver'
import { isoTime, type ReadContext } from '../../sql/read-context'
import { tasksOfIssue } from '../../tasks/served-issues'
import { type SelectedIssue, STORED_COLUMNS, TRACKER, TRACKER_COLUMNS, toStored } from '../rows'
import { CLAIMS } from '../writes/claims'
import { LAST_CHARACTER } from '../writes/find'
import { blockedIssues } from './blocked'
import { issueCounts } from './counts'
import { issueGraph, issueTree } from './graph'
import { IS_THERE, inTracker, listIssues, shownWhere } from './list'
import { countReady, readyIssues } from './ready'

const MATCHES = 20

/** Reads issues and what belongs to them. */
export function issueReads(context: ReadContext): IssueReads {
  const { db } = context
  return {
    async trackers() {
      const { rows } = await sql<object>`select ${sql.raw(TRACKER_COLUMNS)} from trackers t order by t.id`.execute(db)
      return rows.map((row) => TRACKER.read({ ...row }))
    },

    async trackerAt(hostName, path) {
      const { rows } = await sql<object>`
        select ${sql.raw(TRACKER_COLUMNS)} from trackers t where t.host_name = ${hostName} and t.path = ${path}
      `.execute(db)
      return rows[0] && TRACKER.read({ ...rows[0] })
    },

    async hasDirty(tracker) {
      const { rows } = await sql`
        select 1 as found from issues where tracker_id = ${tracker} and is_dirty = 1 limit 1
      `.execute(db)
      return rows.length > 0
    },

    list: (tracker, filter, page, order, isReversed) => listIssues(context, tracker, filter, page, order, isReversed),
    ready: (tracker, filter, limit, now) => readyIssues(context, tracker, filter, limit, now),
    countReady: (tracker, filter, now) => countReady(context, tracker, filter, now),
    blocked: (tracker, limit) => blockedIssues(context, tracker, checkLimit(limit, 100_000)),

    async find(tracker, id) {
      const { rows } = await sql<SelectedIssue>`
        select ${sql.raw(STORED_COLUMNS)} from issues i
         where i.public_id = ${id} ${inTracker(tracker)} order by i.is_deleted, i.tracker_id
      `.execute(db)
      return await Promise.all(rows.map((row) => withComments(row)))
    },

    async shown(tracker, ids) {
      const found = await shownWhere(
        context,
        sql`${context.capabilities.inTexts(sql.ref('i.public_id'), ids)} ${inTracker(tracker)}`,
        sql`i.tracker_id`,
      )
      const byId = new Map(found.map((issue) => [issue.id, issue]))
      return ids.flatMap((id) => byId.get(id) ?? [])
    },

    children: (tracker, id) =>
      shownWhere(
        context,
        sql`i.tracker_id = ${tracker} and ${IS_THERE} and i.id in (
          select p.issue_id from issue_parents p where p.tracker_id = ${tracker} and p.parent = ${id})`,
        sql`i.created_at, i.public_id`,
      ),

    async dependents(tracker, id) {
      const { rows } = await sql<{ id: IssueId; type: string }>`
        select i.public_id as id, d.type as type from issue_dependencies d join issues i on i.id = d.issue_id
         where d.tracker_id = ${tracker} and d.depends_on = ${id} and ${IS_THERE} order by i.id
      `.execute(db)
      const types = new Map(rows.map((row) => [row.id, row.type]))
      const issues = await this.shown(tracker, [...types.keys()])
      return issues.map((issue) => ({ issue, type: types.get(issue.id) ?? 'blocks' }))
    },

    match: (tracker, text) => matchIds(context, tracker, text),
    graph: (tracker) => issueGraph(context, tracker),
    tree: (tracker, id, direction, maxDepth) => issueTree(context, tracker, id, direction, maxDepth),
    counts: (tracker, now) => issueCounts(context, tracker, now),

    async labels(tracker) {
      const { rows } = await sql<{ label: string; count: number }>`
        select l.label as label, count(*) as count from issue_labels l join issues i on i.id = l.issue_id
         where ${IS_THERE} ${inTracker(tracker)} group by l.label order by l.label
      `.execute(db)
      return rows.map(({ label, count }) => ({ label, count: Number(count) }))
    },

    async history(tracker, id, limit) {
      const { rows } = await sql<{
        at: number
        by: string
        event: string
        old: string | null
        new: string | null
      }>`
        select h.at as at, h.actor as by, h.event as event, h.old as old, h.new as new
          from issue_history h join issues i on i.id = h.issue_id
         where i.tracker_id = ${tracker} and i.public_id = ${id} order by h.id desc limit ${checkLimit(limit)}
      `.execute(db)
      return rows.map((row) => ({
        at: isoTime(row.at),
        by: row.by,
        event: row.event,
        old: parsed(row.old),
        new: parsed(row.new),
      }))
    },

    async claims() {
      const { rows } = await sql<ClaimRow>`${sql.raw(CLAIMS)}`.execute(db)
      return rows
    },

    tasks: (tracker, id, limit) => programDriver(db)(tasksOfIssue(tracker, id, limit)),

    async lines(tracker) {
      const { rows } = await sql<SelectedIssue & { commentCount: number }>`
        select ${sql.raw(STORED_COLUMNS)} from issues i where ${IS_THERE} ${inTracker(tracker)} order by i.id
      `.execute(db)
      const issues: StoredIssue[] = []
      // Only changed lines are written anew, and need what they say of comments.
      for (const row of rows) issues.push(row.commentCount === 0 ? toStored(row) : await withComments(row))
      const kept = await sql<KeptLine>`
        select k.raw as raw, k.line as line, k.kind as kind, k.native_id as id from issue_kept_lines k
         where ${tracker === null ? sql`1 = 1` : sql`k.tracker_id = ${tracker}`} order by k.id
      `.execute(db)
      return { issues, kept: kept.rows }
    },
  }

  async function withComments(row: SelectedIssue): Promise<StoredIssue> {
    const { rows } = await sql<IssueComment>`
      select c.native_id as id, c.author as author, c.text as text, c.created_text as "createdAt"
        from issue_comments c where c.issue_id = ${row.key} order by c.id
    `.execute(db)
    return toStored(row, rows)
  }
}

const parsed = (text: string | null): Record<string, unknown> | null =>
  text === null ? null : (JSON.parse(text) as Record<string, unknown>)

/** The id itself; else what ends in `-<text>`; else what begins with it, or whose part after the prefix does. */
async function matchIds({ db }: ReadContext, tracker: TrackerKey | null, text: string): Promise<IssueId[]> {
  const among = sql`i.is_deleted = 0 ${inTracker(tracker)}`
  const exact = await sql<{ id: string }>`
    select i.public_id as id from issues i where i.public_id = ${text} and ${among} limit 1
  `.execute(db)
  if (exact.rows.length > 0) return [issueId(text)]
  const end = text + LAST_CHARACTER
  const begins = await sql<{ id: string }>`
    select distinct i.public_id as id from issues i
     where i.public_id >= ${text} and i.public_id < ${end} and ${among} order by i.public_id limit ${MATCHES}
  `.execute(db)
  // The part after the prefix: prefixes are few, and each gives a stretch of the index.
  const prefixes = await sql<{ prefix: string }>`select distinct prefix from trackers`.execute(db)
  const found = new Set<string>()
  for (const { prefix } of prefixes.rows) {
    const from = `${prefix}-${text}`
    const { rows } = await sql<{ id: string }>`
      select distinct i.public_id as id from issues i
       where i.public_id >= ${from} and i.public_id < ${from + LAST_CHARACTER} and ${among}
       order by i.public_id limit ${MATCHES}
    `.execute(db)
    const whole = rows.find(({ id }) => id === from)
    if (whole !== undefined) return [issueId(whole.id)]
    for (const { id } of rows) found.add(id)
  }
  for (const { id } of begins.rows) found.add(id)
  return [...found].slice(0, MATCHES).map(issueId)
}
