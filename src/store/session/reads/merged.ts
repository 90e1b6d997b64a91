import { sql } from 'kysely'
import { OWN_REQUEST } from '../../../domain/session/merge'
import type { ReadContext } from '../../sql/read-context'

interface Request {
  session: number
  name: string
  at: number
  /** When something said first, by its address or by its number in its project, that it was merged. */
  named: number | null
  numbered: number | null
}

/** How a request is named in its repository: by the digits at its address's end. */
const NUMBER = sql.raw<string>(`('#' || replace(p.name, rtrim(p.name, '0123456789'), ''))`)
/** A call that merges counts once it went well. */
const COUNTS = sql.raw(`left join tool_uses u on u.session_id = m.session_id and u.tool_use_id = m.tool_use_id
  where (m.tool_use_id = '' or u.is_error = 0)`)

/**
 * When pull and merge requests that sessions made were merged, by their addresses, in milliseconds. A number counts in the session's project,
 * and none that was merged before it was made.
 *
 * @param of  what `session_products p join sessions s` must fulfil
 */
export async function readMerged(context: ReadContext, of: ReturnType<typeof sql>): Promise<Map<string, number>> {
  const { db, capabilities } = context
  const first = (isIt: ReturnType<typeof sql>) =>
    sql`(select m.at from request_merges m ${COUNTS} and ${isIt} and m.at >= p.at order by m.at limit 1)`
  const { rows } = await sql<Request>`
    select p.session_id as session, p.name, p.at, ${first(sql`m.request = p.name`)} as named,
           ${first(sql`m.request = ${NUMBER} and m.project_id = s.project_id`)} as numbered
      from session_products p join sessions s on s.id = p.session_id where p.kind = 'pull_request' and ${of}
     order by p.at
  `.execute(db)
  const merged = new Map<string, number>()
  const note = (name: string, at: number | null): void => {
    if (at !== null && at < (merged.get(name) ?? Number.POSITIVE_INFINITY)) merged.set(name, at)
  }
  for (const { name, named, numbered } of rows) {
    note(name, named)
    note(name, numbered)
  }
  const bySession = Map.groupBy(rows, ({ session }) => session)
  if (bySession.size === 0) return merged
  const own = await sql<{ session: number; at: number }>`
    select m.session_id as session, m.at from request_merges m ${COUNTS}
       and m.request = ${OWN_REQUEST} and ${capabilities.inKeys(sql.ref<number>('m.session_id'), [...bySession.keys()])}
  `.execute(db)
  for (const { session, at } of own.rows) {
    const newest = bySession.get(session)?.findLast((one) => one.at <= at)
    if (newest !== undefined) note(newest.name, at)
  }
  return merged
}
