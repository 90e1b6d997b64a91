/** Which issue a session works on, and what could be begun: for recalls. */
import { type IssueId, issueId, type SessionId } from '../../domain/ids'
import type { CurrentIssue, IssueLinkOptions, RecalledIssue } from '../../domain/recall/recall'
import { IS_READY } from '../issues/ready'
import { currentIssueOf, type IssueBrief } from '../session/reads/session-issues'
import { first, type Program, rows } from '../sql/program'

/** Columns of an issue that a list shows; `i` is the issue. */
const ISSUE = 'i.public_id, i.type, i.title, i.status, i.priority'

interface IssueRow {
  public_id: string
  type: string
  title: string
  status: string
  priority: number
}

/** As `RecallReads.issue`. */
export function* issueOf(
  folder: string,
  session: SessionId | null,
  named: IssueId | null,
  options: IssueLinkOptions = {},
): Program<CurrentIssue | undefined> {
  const current = yield* currentIssueOf(folder, session, named, options)
  return current === undefined ? undefined : { ...shown(current), key: current.key, evidence: current.evidence }
}

const shown = ({ id, type, title, status, priority }: IssueBrief): RecalledIssue => ({
  id,
  type,
  title,
  status,
  priority,
})

/** Issues of the folder's own file that could be begun now, most important first. */
export function* readyIssues(folder: string, limit: number): Program<{ issues: RecalledIssue[]; total: number }> {
  const now = Date.now()
  const issues: RecalledIssue[] = []
  let total = 0
  for (const tracker of yield* trackersOf(folder)) {
    const from = `from issues i where i.tracker_id = ? and ${IS_READY}`
    const found = yield* rows<IssueRow>(
      `select ${ISSUE} ${from} order by i.ready_priority, i.created_at desc, i.public_id limit ?`,
      tracker,
      now,
      now,
      limit,
    )
    issues.push(...found.map(toIssue))
    const count = yield* first<{ n: number }>(`select count(*) as n ${from}`, tracker, now, now)
    total += Number(count?.n ?? 0)
  }
  return { issues: issues.slice(0, limit), total }
}

/** Keys of the trackers whose file is in the folder: our own, or that of beads. */
function* trackersOf(folder: string): Program<number[]> {
  const found = yield* rows<{ id: number }>(
    'select id from trackers where path in (?, ?) order by id',
    `${folder}/.lodeline/issues.jsonl`,
    `${folder}/.beads/issues.jsonl`,
  )
  return found.map(({ id }) => Number(id))
}

const toIssue = (row: IssueRow): RecalledIssue => ({
  id: issueId(row.public_id),
  type: row.type,
  title: row.title,
  status: row.status,
  priority: Number(row.priority),
})
