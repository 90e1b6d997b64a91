import type { IssueKey } from '../../../domain/ids'
import type { ClaimRow, IssueHistoryRow } from '../../../domain/issue/issue-store'
import { toJson } from '../../sql/columns'
import { first, type Program, rows, run } from '../../sql/program'

const SELECT = `select c.issue_id as "issueKey", i.public_id as "issueId", i.tracker_id as "trackerKey", c.holder as holder,
    c.session_native_id as "sessionId", c.agent_public_id as "agentId", c.since as since, c.gone_at as "goneAt"
  from issue_claims c join issues i on i.id = c.issue_id`

export const claim = (key: IssueKey): Program<ClaimRow | undefined> =>
  first<ClaimRow & Record<string, never>>(`${SELECT} where c.issue_id = ?`, key)

/** There are few: one for each issue that is being worked on. */
export const CLAIMS = `${SELECT} order by c.since, c.issue_id`
export const claims = (): Program<ClaimRow[]> => rows<ClaimRow>(CLAIMS)

export function* putClaim(row: Omit<ClaimRow, 'issueId' | 'trackerKey'>): Program<void> {
  yield* run(
    `insert into issue_claims (issue_id, holder, session_native_id, agent_public_id, since, gone_at) values (?, ?, ?, ?, ?, ?)
     on conflict (issue_id) do update set holder = excluded.holder, session_native_id = excluded.session_native_id,
       agent_public_id = excluded.agent_public_id, since = excluded.since, gone_at = excluded.gone_at`,
    row.issueKey,
    row.holder,
    row.sessionId,
    row.agentId,
    row.since,
    row.goneAt,
  )
}

export function* removeClaim(key: IssueKey): Program<void> {
  yield* run('delete from issue_claims where issue_id = ?', key)
}

export function* addHistory(entries: readonly IssueHistoryRow[]): Program<void> {
  for (const entry of entries)
    yield* run(
      'insert into issue_history (issue_id, at, actor, event, old, new, session_native_id) values (?, ?, ?, ?, ?, ?, ?)',
      entry.issueKey,
      entry.at,
      entry.by,
      entry.event,
      entry.old === null ? null : toJson(entry.old),
      entry.new === null ? null : toJson(entry.new),
      entry.sessionId,
    )
}
