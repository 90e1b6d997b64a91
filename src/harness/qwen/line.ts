import type { ActivityObservation, EventObservation, EventType } from '../../domain/record/observation'
import { SEARCH_LIMIT, TEXT_LIMIT } from '../../domain/record/observation'
import { idOf, type JsonRecord, recordOf, timeOf, uuidOf } from '../json-lines/json-value'
import { partsOf } from '../json-lines/parts'
import { clip } from '../json-lines/text'
import type { Carry } from './carry'

/** A line with what is known of its file. */
export interface Line {
  record: JsonRecord
  uuid: string
  at: number | null
  subagentId: string | null
  /** A fork's copy of another session's line. */
  isCopied: boolean
  parts: JsonRecord[]
  carry: Carry
  offset: number
  length: number
}

/** `undefined` = the line has no id: it is no line of a conversation. */
export function lineOf(
  record: JsonRecord,
  place: Pick<Line, 'subagentId' | 'carry' | 'offset' | 'length'>,
): Line | undefined {
  const uuid = uuidOf(record.uuid)
  if (uuid === undefined) return undefined
  return {
    ...place,
    record,
    uuid,
    at: timeOf(record.timestamp),
    isCopied: idOf(recordOf(record.forkedFrom)?.sessionId) !== undefined,
    parts: partsOf(recordOf(record.message)?.parts),
  }
}

const SEARCHED: ReadonlySet<EventType> = new Set(['prompt', 'text', 'tool_call', 'notice', 'compaction', 'error'])

const ROLES: Readonly<Record<EventType, 'user' | 'assistant' | 'system'>> = {
  prompt: 'user',
  text: 'assistant',
  thinking: 'assistant',
  tool_call: 'assistant',
  tool_result: 'user',
  notice: 'user',
  compaction: 'system',
  summary: 'user',
  error: 'system',
  system: 'system',
  attachment: 'user',
}

/** The event of a line. */
export function eventOf(
  line: Line,
  type: EventType,
  text: string,
  tool: { toolUseId?: string | undefined; toolName?: string | undefined } = {},
): EventObservation {
  const shown = clip(text, TEXT_LIMIT)
  return {
    kind: 'event',
    uuid: line.uuid,
    parentUuid: uuidOf(line.record.parentUuid) ?? null,
    type,
    role: ROLES[type],
    at: line.at,
    subagentId: line.subagentId,
    isSidechain: false,
    parentToolUseId: null,
    toolUseId: tool.toolUseId ?? null,
    toolName: tool.toolName ?? null,
    text: shown === '' ? null : shown,
    searchText: SEARCHED.has(type) ? clip(text, SEARCH_LIMIT) || null : null,
    ...(text.length > TEXT_LIMIT && { isCut: true }),
    foreignSessionId: null,
    isCopied: line.isCopied,
    offset: line.offset,
    length: line.length,
  }
}

/** Whether the session is at work, as a line of its main thread tells it. */
export function activity(line: Line, state: ActivityObservation['state'], what: string): ActivityObservation[] {
  if (line.subagentId !== null) return []
  return [{ kind: 'activity', uuid: line.uuid, at: line.at, state, evidence: `transcript:${what}` }]
}
