import { eventId, sessionId, subagentId, toolUseId } from '../../domain/ids'
import type { EventType } from '../../domain/record/observation'
import type { ConversationEvent } from '../../domain/session/session'
import { isoTime, type ReadContext } from '../sql/read-context'
import { uuidText } from '../sql/uuid'

/** Bits of `conversation_events.flags`. */
export const INHERITED = 1
const CUT = 2

/** Events with the public ids of their session and sub-agent. */
export function selectEvents({ db }: ReadContext) {
  return db
    .selectFrom('conversation_events as e')
    .innerJoin('sessions as s', 's.id', 'e.session_id')
    .leftJoin('subagents as a', 'a.id', 'e.subagent_id')
    .select([
      'e.id',
      'e.session_id',
      'e.subagent_id',
      'e.uuid',
      'e.at',
      'e.type',
      'e.role',
      'e.parent_tool_use_id',
      'e.tool_use_id',
      'e.tool_name',
      'e.text',
      'e.flags',
      'e.incarnation_id',
      'e.offset',
      'e.length',
      's.native_id as session_native_id',
      's.title as session_title',
      's.agent as session_agent',
      'a.native_id as subagent_native_id',
    ])
}

export type EventSelect = ReturnType<typeof selectEvents>
export type EventSelectRow = Awaited<ReturnType<EventSelect['execute']>>[number]

export function toEvent(row: EventSelectRow): ConversationEvent {
  return {
    id: eventId(uuidText(row.uuid)),
    sessionId: sessionId(row.session_native_id),
    type: row.type as EventType,
    role: row.role,
    at: isoTime(row.at),
    subagentId: row.subagent_native_id === null ? null : subagentId(row.subagent_native_id),
    parentToolUseId: row.parent_tool_use_id === null ? null : toolUseId(row.parent_tool_use_id),
    toolUseId: row.tool_use_id === null ? null : toolUseId(row.tool_use_id),
    toolName: row.tool_name,
    text: row.text,
    isCut: (row.flags & CUT) !== 0,
    inherited: (row.flags & INHERITED) !== 0,
  }
}
