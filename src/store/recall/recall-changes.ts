/** What happened to an issue since a session last heard of it. */
import type { IssueKey, SessionId } from '../../domain/ids'
import type { RecalledChange, RecalledChanges } from '../../domain/recall/recall'
import { first, type Program, rows } from '../sql/program'

/** Longer descriptions of a change are not looked at: a text of an issue may be very long, before and after. */
const LOOKED_AT = 20_000
/** The claim itself reports the end and return of its holder; the issue reports its creation. */
const NO_NEWS = `('created', 'holder_gone', 'holder_back')`

interface ChangeRow {
  id: number
  at: number
  actor: string
  event: string
  old: string | null
  new: string | null
}

/** As `RecallReads.changes`. */
export function* changes(
  issue: IssueKey,
  own: readonly SessionId[],
  after: number,
  since: number,
  limit: number,
): Program<RecalledChanges> {
  const newest = yield* first<{ id: number | null }>(
    'select max(id) as id from issue_history where issue_id = ?',
    issue,
  )
  const upTo = Number(newest?.id ?? 0)
  // Told of a later one than there is: that was another database.
  const from = after > upTo ? 0 : after
  if (from === upTo) return { changes: [], total: 0, upTo }
  const others =
    own.length === 0
      ? ''
      : `and (session_native_id is null or session_native_id not in (${own.map(() => '?').join(', ')}))`
  const which = `from issue_history where issue_id = ? and id > ? and id <= ? and at >= ? and event not in ${NO_NEWS} ${others}`
  const params = [issue, from, upTo, since, ...own]
  const found = yield* rows<ChangeRow>(
    `select id, at, actor, event, case when length(old) <= ${LOOKED_AT} then old end as old,
       case when length(new) <= ${LOOKED_AT} then new end as new ${which} order by id desc limit ?`,
    ...params,
    limit,
  )
  const total =
    found.length < limit
      ? found.length
      : Number((yield* first<{ n: number }>(`select count(*) as n ${which}`, ...params))?.n ?? 0)
  return { changes: found.map(toChange), total, upTo }
}

const toChange = (row: ChangeRow): RecalledChange => ({
  at: new Date(Number(row.at)).toISOString(),
  by: row.actor,
  event: row.event,
  old: parsed(row.old),
  new: parsed(row.new),
})

function parsed(text: string | null): Record<string, unknown> | null {
  return text === null ? null : (JSON.parse(text) as Record<string, unknown>)
}
