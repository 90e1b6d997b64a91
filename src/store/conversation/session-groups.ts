/** Sessions in which a search looks one after another, and the few events of theirs that failed. */
import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { ReadCapabilities } from '../sql/read-context'
import type { Schema } from '../sql/tables'

/** Sessions whose failures are looked at first: with fewer a second look is needed, with more it takes longer than needed. */
export const FIRST_SESSIONS = 40
/** Sessions that are asked for at once. */
const PAGE = 500

/** Sessions that are looked at together, and how many events they have. */
export interface SessionGroup {
  sessions: number[]
  events: number
}

/**
 * Sessions in groups, those that went on last first: of this many sessions or events together at first, then twice as many each time.
 *
 * @param condition  of a session `s`
 */
export async function* sessionGroups(
  db: Kysely<Schema>,
  condition: RawBuilder<SqlBool> | undefined,
  first: { sessions?: number; events?: number },
): AsyncGenerator<SessionGroup> {
  let { sessions: mostSessions = PAGE, events: mostEvents = Number.POSITIVE_INFINITY } = first
  let group: SessionGroup = { sessions: [], events: 0 }
  for (let last: RecentSession | undefined; ; ) {
    const rows = await sessionsBehind(db, condition, last)
    for (const { id, event_count } of rows) {
      group.sessions.push(Number(id))
      group.events += Number(event_count)
      if (group.sessions.length < mostSessions && group.events < mostEvents) continue
      yield group
      group = { sessions: [], events: 0 }
      mostSessions *= 2
      mostEvents *= 2
    }
    last = rows.at(-1)
    if (rows.length < PAGE) break
  }
  if (group.sessions.length > 0) yield group
}

interface RecentSession {
  id: number
  event_count: number
  heard_at: number
}

async function sessionsBehind(
  db: Kysely<Schema>,
  condition: RawBuilder<SqlBool> | undefined,
  last: RecentSession | undefined,
): Promise<RecentSession[]> {
  const isBehind =
    last === undefined
      ? sql<SqlBool>`1 = 1`
      : sql<SqlBool>`(coalesce(s.last_event_at, 0), s.id) < (${Number(last.heard_at)}, ${Number(last.id)})`
  const { rows } = await sql<RecentSession>`
    select s.id, s.event_count, coalesce(s.last_event_at, 0) as heard_at from sessions s
     where ${isBehind} ${condition === undefined ? sql`` : sql`and ${condition}`}
     order by coalesce(s.last_event_at, 0) desc, s.id desc limit ${sql.lit(PAGE)}
  `.execute(db)
  return rows
}

/**
 * What failed in these sessions, as rows `e` of `conversation_events`: a few of two indexes.
 *
 * @param condition  of `e`
 */
export function failedEvents(
  inKeys: ReadCapabilities['inKeys'],
  sessions: readonly number[],
  condition: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`
    select e.id from (
        select r.id from tool_uses u
          join conversation_events r on r.session_id = u.session_id and r.tool_use_id = u.tool_use_id and r.type = 'tool_result'
         where ${inKeys(sql.ref<number>('u.session_id'), sessions)} and u.is_error = 1
        union all
        select r.id from conversation_events r where ${inKeys(sql.ref<number>('r.session_id'), sessions)} and r.type = 'error'
      ) failed join conversation_events e on e.id = failed.id
     where ${condition}`
}
