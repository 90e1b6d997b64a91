import type { Kysely } from 'kysely'
import type { AgentId, IssueKey, SessionId } from '../../../domain/ids'
import type { ClaimRow, IssueHistoryRow } from '../../../domain/issue/issue-store'
import { toJson } from '../../sql/columns'
import type { Program } from '../../sql/program'
import { asInserted } from '../../sql/row-statements'
import { statement } from '../../sql/statement'
import type { Schema } from '../../sql/tables'

const claimRows = (db: Kysely<Schema>) =>
  db
    .selectFrom('issue_claims as c')
    .innerJoin('issues as i', 'i.id', 'c.issue_id')
    .select([
      'c.issue_id as issueKey',
      'i.public_id as issueId',
      'i.tracker_id as trackerKey',
      'c.holder',
      'c.session_native_id as sessionId',
      'c.agent_public_id as agentId',
      'c.since',
      'c.gone_at as goneAt',
    ])

const CLAIM = statement<{ key: IssueKey }>()((db, param) => claimRows(db).where('c.issue_id', '=', param('key')))
const CLAIMS = statement()((db) => claimRows(db).orderBy('c.since').orderBy('c.issue_id'))

export const claim = (key: IssueKey): Program<ClaimRow | undefined> => CLAIM.first({ key })

/** There are few: one for each issue that is being worked on. */
export const claims = (): Program<ClaimRow[]> => CLAIMS.rows()

interface Claim {
  issueKey: IssueKey
  holder: string
  sessionId: SessionId | null
  agentId: AgentId | null
  since: number
  goneAt: number | null
}
const PUT = statement<Claim>()((db, param) =>
  db
    .insertInto('issue_claims')
    .values({
      issue_id: param('issueKey'),
      holder: param('holder'),
      session_native_id: param('sessionId'),
      agent_public_id: param('agentId'),
      since: param('since'),
      gone_at: param('goneAt'),
    })
    .onConflict((conflict) =>
      conflict
        .column('issue_id')
        .doUpdateSet(
          asInserted('issue_claims', ['holder', 'session_native_id', 'agent_public_id', 'since', 'gone_at']),
        ),
    ),
)

export function* putClaim(row: Omit<ClaimRow, 'issueId' | 'trackerKey'>): Program<void> {
  yield* PUT.run(row)
}

const REMOVE = statement<{ key: IssueKey }>()((db, param) =>
  db.deleteFrom('issue_claims').where('issue_id', '=', param('key')),
)

export function* removeClaim(key: IssueKey): Program<void> {
  yield* REMOVE.run({ key })
}

interface Change {
  issueKey: IssueKey
  at: number
  by: string
  event: string
  /** JSON. */
  old: string | null
  new: string | null
  sessionId: SessionId | null
}
const ADD_HISTORY = statement<Change>()((db, param) =>
  db.insertInto('issue_history').values({
    issue_id: param('issueKey'),
    at: param('at'),
    actor: param('by'),
    event: param('event'),
    old: param('old'),
    new: param('new'),
    session_native_id: param('sessionId'),
  }),
)

export function* addHistory(entries: readonly IssueHistoryRow[]): Program<void> {
  const json = (fields: Record<string, unknown> | null): string | null => (fields === null ? null : toJson(fields))
  for (const entry of entries) yield* ADD_HISTORY.run({ ...entry, old: json(entry.old), new: json(entry.new) })
}
