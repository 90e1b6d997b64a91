import { sql } from 'kysely'
import type { LaneTimes, ToolSpan } from '../../domain/conversation/conversation'
import { type SessionKey, type SubagentKey, subagentKey } from '../../domain/ids'
import type { ReadContext } from '../sql/read-context'
import { IN_TURN_INDEX } from './conversation-rows'

/** @see ConversationReads.turnSpans */
export async function readTurnSpans(
  { db }: ReadContext,
  session: SessionKey,
  limit: number,
): Promise<{ from: number; to: number; isCompaction: boolean }[]> {
  const { rows } = await sql<{ at: number; type: string; next_at: number | null; last_at: number | null }>`
    with starts as (
      select id, at, type from conversation_events
       where session_id = ${session} and ${IN_TURN_INDEX} and parent_tool_use_id is null
       order by at desc, id desc limit ${limit}
    ), ordered as (select id, at, type, lead(at) over (order by at, id) as next_at from starts)
    select o.at, o.type, o.next_at,
      (select e.at from conversation_events e
        where e.session_id = ${session} and e.subagent_id is null and e.parent_tool_use_id is null
          and e.at >= o.at and e.at < coalesce(o.next_at, ${Number.MAX_SAFE_INTEGER})
        order by e.at desc limit 1) as last_at
      from ordered o order by o.at, o.id
  `.execute(db)
  return rows.map((row) => ({ from: row.at, to: row.last_at ?? row.at, isCompaction: row.type === 'compaction' }))
}

/** @see ConversationReads.laneTimes */
export async function readLaneTimes({ db }: ReadContext, session: SessionKey): Promise<LaneTimes[]> {
  const { rows } = await sql<{ id: number; started_at: number | null; ended_at: number | null }>`
    select id, coalesce(first_event_at, first_started_at, hook_started_at) as started_at,
           case when coalesce(end_at, hook_end_at, 0) > coalesce(last_event_at, 0)
                then coalesce(end_at, hook_end_at) else last_event_at end as ended_at
      from subagents where session_id = ${session} and kind <> 'internal' order by id
  `.execute(db)
  return rows.flatMap(({ id, started_at, ended_at }) => {
    const startedAt = started_at ?? ended_at
    if (startedAt === null) return []
    return [{ key: subagentKey(id), startedAt, endedAt: Math.max(startedAt, ended_at ?? startedAt) }]
  })
}

/** @see ConversationReads.toolSpans */
export async function readToolSpans(
  { db, capabilities }: ReadContext,
  session: SessionKey,
  nodes: readonly SubagentKey[],
): Promise<ToolSpan[]> {
  const { rows } = await sql<{
    subagent_id: number | null
    called_at: number
    ended_at: number | null
    name: string | null
  }>`
    select subagent_id, called_at, ended_at, name from tool_uses
     where session_id = ${session} and called_at is not null
       and (subagent_id is null or ${capabilities.inKeys(sql.ref('subagent_id'), nodes)})
     order by called_at
  `.execute(db)
  return rows.map((row) => ({
    node: row.subagent_id === null ? null : subagentKey(row.subagent_id),
    calledAt: row.called_at,
    endedAt: row.ended_at,
    name: row.name,
  }))
}

/** @see ConversationReads.runSpans */
export async function readRunSpans(
  { db, capabilities }: ReadContext,
  keys: readonly SubagentKey[],
): Promise<{ key: SubagentKey; from: number | null; to: number | null }[]> {
  if (keys.length === 0) return []
  const { rows } = await sql<{ subagent_id: number; started_at: number | null; ended_at: number | null }>`
    select subagent_id, started_at, ended_at from subagent_runs
     where ${capabilities.inKeys(sql.ref('subagent_id'), keys)} order by subagent_id, number
  `.execute(db)
  return rows.map((row) => ({ key: subagentKey(row.subagent_id), from: row.started_at, to: row.ended_at }))
}
