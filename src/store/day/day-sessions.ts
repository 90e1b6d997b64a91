import { type RawBuilder, sql } from 'kysely'
import { type DayScope, MOST_DAY_SESSIONS } from '../../domain/day/day'
import { allOf, sessionConditions } from '../session/reads/session-conditions'
import type { ReadContext } from '../sql/read-context'

/** For lines `e`: those of the main thread, in the words of the index `conversation_events_main`. */
export const IN_MAIN = sql.raw('e.subagent_id is null and e.parent_tool_use_id is null and e.length >= 0')
/** For lines `e`: those that begin a turn, in the words of the index `conversation_events_turn`. */
export const BEGINS_TURN = sql.raw("e.subagent_id is null and e.type in ('prompt', 'notice', 'compaction')")
/** Types that begin a turn. */
export const TURN_STARTS: ReadonlySet<string> = new Set(['prompt', 'notice', 'compaction'])
/** Lines that a CLI adds around a turn, by itself and perhaps hours later: they show no work. */
export const IS_WORK = sql.raw("e.type not in ('system', 'attachment')")

/**
 * The sessions with a line in the time, the ones heard of last first, at most `MOST_DAY_SESSIONS` and one more. Lines that a fork took over
 * are older than it is, and count for its origin.
 */
export async function sessionsOfDay(context: ReadContext, scope: DayScope): Promise<number[]> {
  const { from, to, project, agent } = scope
  const narrowed = allOf(await sessionConditions(context, { project, agent }))
  const { rows } = await sql<{ id: number }>`
    select sessions.id as id from sessions
     where coalesce(sessions.last_event_at, 0) >= ${from} and sessions.started_at < ${to} and ${narrowed}
       and exists (select 1 from conversation_events e
         where e.session_id = sessions.id and e.at >= ${from} and e.at >= sessions.started_at and e.at < ${to})
     order by coalesce(sessions.last_event_at, 0) desc, sessions.id desc limit ${sql.lit(MOST_DAY_SESSIONS + 1)}
  `.execute(context.db)
  return rows.map(({ id }) => Number(id))
}

/** Whether a session `s` is one of these. */
export const isOneOf = ({ capabilities }: ReadContext, column: string, keys: readonly number[]): RawBuilder<boolean> =>
  sql<boolean>`${capabilities.inKeys(sql.ref<number>(column), keys)}`

export const whole = (value: number | null): number | null => (value === null ? null : Number(value))
