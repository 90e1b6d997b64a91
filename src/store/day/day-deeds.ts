import { sql } from 'kysely'
import type { DayDeed } from '../../domain/day/day'
import type { EventType } from '../../domain/record/observation'
import { isoTime, type ReadContext } from '../sql/read-context'
import { IN_MAIN, isOneOf, whole } from './day-sessions'

/** Characters of what an agent said or called. */
const MOST_TEXT = 300
/** Lines that are looked through for the last words. */
const LINES_BACK = 400

/** One agent of a session; `agent`: null = its main thread. */
export interface Node {
  session: number
  agent: number | null
}

/** What each agent did last by then, by session and sub-agent: one seek along an index for each, over the few lines in between. */
export async function readDeeds(
  context: ReadContext,
  nodes: readonly Node[],
  at: number,
): Promise<Map<string, DayDeed>> {
  const mains = nodes.flatMap(({ session, agent }) => (agent === null ? [session] : []))
  const agents = nodes.flatMap(({ agent }) => agent ?? [])
  const newest = sql`e.type in ('tool_call', 'text', 'prompt', 'error') and e.at <= ${at} order by e.at desc, e.id desc limit 1`
  const parts = []
  if (mains.length > 0)
    parts.push(sql`select (select e.id from conversation_events e where e.session_id = s.id and ${IN_MAIN} and ${newest}) as line
      from sessions s where ${isOneOf(context, 's.id', mains)}`)
  if (agents.length > 0)
    parts.push(sql`select (select e.id from conversation_events e
      where e.session_id = a.session_id and e.subagent_id = a.id and ${newest}) as line
      from subagents a where ${isOneOf(context, 'a.id', agents)}`)
  if (parts.length === 0) return new Map()
  const { rows } = await sql<DeedRow>`
    with picked as (${sql.join(parts, sql` union all `)})
    select e.session_id, e.subagent_id, e.at, e.type, e.tool_name, substr(e.text, 1, ${sql.lit(MOST_TEXT)}) as text, u.called_at, u.ended_at
      from picked join conversation_events e on e.id = picked.line
      left join tool_uses u on u.session_id = e.session_id and u.tool_use_id = e.tool_use_id
  `.execute(context.db)
  return new Map(rows.map((row) => [`${row.session_id} ${row.subagent_id ?? ''}`, toDeed(row, at)]))
}

interface DeedRow {
  session_id: number
  subagent_id: number | null
  at: number
  type: EventType
  tool_name: string | null
  text: string | null
  ended_at: number | null
}

function toDeed(row: DeedRow, at: number): DayDeed {
  const endedAt = whole(row.ended_at)
  return {
    at: isoTime(Number(row.at)),
    type: row.type,
    tool: row.tool_name,
    text: row.text,
    isOpen: row.type === 'tool_call' && (endedAt === null || endedAt > at),
  }
}

/** The newest words of the model on each main thread by then. */
export async function readLastWords(
  context: ReadContext,
  keys: readonly number[],
  at: number,
): Promise<Map<number, string>> {
  const { rows } = await sql<{ session_id: number; text: string }>`
    with picked as (
      select (select line.id from (
          select e.id, e.type, e.text, e.at from conversation_events e where e.session_id = s.id and ${IN_MAIN} and e.at <= ${at}
           order by e.at desc, e.id desc limit ${sql.lit(LINES_BACK)}) as line
        where line.type = 'text' and line.text is not null order by line.at desc, line.id desc limit 1) as line
        from sessions s where ${isOneOf(context, 's.id', keys)}
    )
    select e.session_id, substr(e.text, 1, ${sql.lit(MOST_TEXT)}) as text from picked join conversation_events e on e.id = picked.line
  `.execute(context.db)
  return new Map(rows.map(({ session_id, text }) => [Number(session_id), text]))
}
