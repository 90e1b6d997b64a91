import type { EventObservation, EventType } from '../../domain/record/observation'
import { SEARCH_LIMIT, TEXT_LIMIT } from '../../domain/record/observation'
import { clip } from './text'

/** Types of events that search finds: messages, tool inputs, tool outputs and summaries. */
const SEARCHED: ReadonlySet<EventType> = new Set([
  'prompt',
  'text',
  'tool_call',
  'tool_result',
  'notice',
  'summary',
  'compaction',
  'error',
])

/** The author of each kind of event, in the words that the lines of all agent CLIs have. */
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

export type EventPlace = Pick<
  EventObservation,
  'uuid' | 'parentUuid' | 'at' | 'subagentId' | 'isCopied' | 'offset' | 'length'
>

export interface EventTool {
  toolUseId?: string | undefined
  toolName?: string | undefined
}

/** The event of a line, or of a part of one. */
export function eventAt(place: EventPlace, type: EventType, text: string, tool: EventTool = {}): EventObservation {
  const { uuid, parentUuid, at, subagentId, isCopied, offset, length } = place
  const shown = clip(text, TEXT_LIMIT)
  return {
    ...{ kind: 'event', uuid, parentUuid, type, role: ROLES[type], at, subagentId },
    isSidechain: false,
    parentToolUseId: null,
    toolUseId: tool.toolUseId ?? null,
    toolName: tool.toolName ?? null,
    text: shown === '' ? null : shown,
    searchText: SEARCHED.has(type) ? clip(text, SEARCH_LIMIT) || null : null,
    ...(text.length > TEXT_LIMIT && { isCut: true }),
    foreignSessionId: null,
    ...{ isCopied, offset, length },
  }
}
