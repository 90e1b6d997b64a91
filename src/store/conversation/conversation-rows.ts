import { type RawBuilder, sql } from 'kysely'
import type { LineRange, NodeScope } from '../../domain/conversation/conversation'
import type { ConversationLine, LinePosition } from '../../domain/conversation/line-row'
import type { ReadContext } from '../sql/read-context'
import { type EventSelectRow, selectEvents, toEvent } from './event-rows'

/** Types that begin a turn. */
export const TURN_TYPES = sql.raw("('prompt', 'notice')")

/** The condition of the index `conversation_events_turn`, in its own words: only so does SQLite use it. */
export const IN_TURN_INDEX = sql.raw("subagent_id is null and type in ('prompt', 'notice', 'compaction')")

export function toLine(row: EventSelectRow): ConversationLine {
  return { position: { at: row.at, key: row.id }, event: toEvent(row), bytes: row.length }
}

/** Lines of `scope` in a range, along an index by time. */
export async function readLines(
  context: ReadContext,
  session: number,
  scope: NodeScope,
  { from, to }: LineRange,
  limit: number,
): Promise<ConversationLine[]> {
  let query = selectEvents(context).where('e.session_id', '=', session)
  // Lines of a stream that name a launching call alone are a sub-agent's, though not yet known whose.
  if (scope === null) query = query.where('e.subagent_id', 'is', null).where('e.parent_tool_use_id', 'is', null)
  else if (scope !== 'all') query = query.where('e.subagent_id', '=', scope)
  // The first condition lets the index begin at the right place: SQLite does not seek by a pair whose second part it lacks.
  if (from !== undefined)
    query = query.where(sql<boolean>`e.at >= ${from.at} and (e.at, e.id) >= (${from.at}, ${from.key})`)
  if (to !== undefined) query = query.where(sql<boolean>`e.at <= ${to.at} and (e.at, e.id) < (${to.at}, ${to.key})`)
  const rows = await query.orderBy('e.at').orderBy('e.id').limit(limit).execute()
  return rows.map(toLine)
}

/** As a condition on `conversation_events` without an alias. */
export function inRange({ from, to }: LineRange): RawBuilder<boolean> {
  const parts = [sql<boolean>`true`]
  if (from !== undefined) parts.push(sql<boolean>`at >= ${from.at} and (at, id) >= (${from.at}, ${from.key})`)
  if (to !== undefined) parts.push(sql<boolean>`at <= ${to.at} and (at, id) < (${to.at}, ${to.key})`)
  return sql<boolean>`${sql.join(parts, sql` and `)}`
}

export const positionOf = (row: { at: number; id: number }): LinePosition => ({ at: row.at, key: row.id })
