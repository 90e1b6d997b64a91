import { type RawBuilder, sql } from 'kysely'
import type { ConversationLine, LinePosition, LineWindow, RowPlace } from '../../domain/conversation/line-row'
import { AppError } from '../../domain/errors'
import type { SessionKey, SubagentKey } from '../../domain/ids'
import type { ReadContext } from '../sql/read-context'
import { inRange, positionOf, toLine } from './conversation-rows'
import { selectEvents } from './event-rows'

/** The condition of the index `conversation_events_main`, in its own words: only so does SQLite use it. */
const IN_MAIN_INDEX = sql.raw('subagent_id is null and parent_tool_use_id is null and length >= 0')

/** Reads of a record that is made anew at that moment. */
const ATTEMPTS = 3

/**
 * At most `limit` lines of one agent from any place, by their number.
 *
 * Numbers are counted along an index each time. For 100,000 lines SQLite needs 2.9 ms to count them and as much to pass over them,
 * which is done from the nearer end; PostgreSQL some 12. Kept positions would be faster, but a line that comes late, or turns out to
 * be another agent's, shifts all that follow, and who writes is often another process.
 */
export async function readWindow(
  context: ReadContext,
  session: SessionKey,
  node: SubagentKey | null,
  place: RowPlace,
  limit: number,
): Promise<LineWindow> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const { total, start, found } = await readNumbers(context, whose(session, node), place, limit)
    const lines = await readLinesOf(
      context,
      found.map(({ key }) => key),
    )
    const shown = found.flatMap(({ key }) => lines.get(key) ?? [])
    if (shown.length < found.length) continue
    const hasBefore = start > 0 && found.length > 0
    return {
      total,
      from: Math.min(start, total),
      lines: hasBefore ? shown.slice(1) : shown,
      before: hasBefore ? (found[0] ?? null) : null,
    }
  }
  throw new AppError('unavailable', 'The session is being recorded again.', { hint: 'Try again.' })
}

async function readLinesOf(context: ReadContext, keys: readonly number[]): Promise<Map<number, ConversationLine>> {
  if (keys.length === 0) return new Map()
  const rows = await selectEvents(context)
    .where((eb) => context.capabilities.inKeys(eb.ref('e.id'), keys))
    .execute()
  return new Map(rows.map((row) => [row.id, toLine(row)]))
}

/** The places of the lines wanted, and of the one before them, in one statement: a line that comes meanwhile shifts no number. */
async function readNumbers({ db }: ReadContext, mine: RawBuilder<boolean>, place: RowPlace, limit: number) {
  const { rows } = await sql<{ total: number; start: number; at: number | null; id: number | null }>`
    with counted as materialized (
      select total, ${startOf(mine, place, limit)} as start
        from (select count(*) as total from conversation_events where ${mine}) as all_lines
    ), span as materialized (
      select total, start, case when start > 0 then start - 1 else 0 end as skipped,
             case when start > 0 then 1 else 0 end + ${integer(limit)} as wanted from counted
    ), sides as materialized (
      select total, skipped, wanted, skipped * 2 > total as is_late,
             case when skipped + wanted < total then total - skipped - wanted else 0 end as behind from span
    ), places as (
      select * from (
        select at, id from conversation_events where ${mine} order by at, id
         limit (select case when is_late then 0 else wanted end from sides) offset (select skipped from sides)
      ) as early
      union all select * from (
        select at, id from conversation_events where ${mine} order by at desc, id desc
         limit (select case when not is_late or skipped >= total then 0 when skipped + wanted > total then total - skipped
                            else wanted end from sides)
        offset (select behind from sides)
      ) as late
    )
    select span.total, span.start, places.at, places.id from span left join places on true
  `.execute(db)
  const found: LinePosition[] = []
  for (const { at, id } of rows) if (at !== null && id !== null) found.push(positionOf({ at, id }))
  found.sort((a, b) => a.at - b.at || a.key - b.key)
  return { total: rows[0]?.total ?? 0, start: rows[0]?.start ?? 0, found }
}

/** Number of the first line wanted, of `total`. */
function startOf(mine: RawBuilder<boolean>, place: RowPlace, limit: number): RawBuilder<number> {
  if (place.kind === 'from') return integer(place.number)
  if (place.kind === 'end') return sql`case when total > ${integer(limit)} then total - ${integer(limit)} else 0 end`
  const half = integer(Math.floor(limit / 2))
  return sql`(select case when count(*) > ${half} then count(*) - ${half} else 0 end
                from conversation_events where ${mine} and ${inRange({ to: place.position })})`
}

/** The lines of one agent, along their index. */
export function whose(session: SessionKey, node: SubagentKey | null): RawBuilder<boolean> {
  return node === null
    ? sql<boolean>`session_id = ${session} and ${IN_MAIN_INDEX}`
    : sql<boolean>`session_id = ${session} and subagent_id = ${node}`
}

/** PostgreSQL does not guess the type of a value that stands alone. */
const integer = (value: number): RawBuilder<number> => sql<number>`cast(${value} as bigint)`
