import type { EventObservation, EventType } from '../../domain/record/observation'
import { SEARCH_LIMIT, TEXT_LIMIT } from '../../domain/record/observation'
import { clip } from '../json-lines/text'
import type { Place } from './place'

/** Types of events that search finds: messages and tool inputs. */
const SEARCHED: ReadonlySet<EventType> = new Set(['prompt', 'text', 'tool_call', 'notice', 'summary', 'error'])

const ASSISTANT: ReadonlySet<EventType> = new Set(['text', 'thinking', 'tool_call'])
const SYSTEM: ReadonlySet<EventType> = new Set(['compaction', 'error', 'system'])

/** The event of a line. */
export function eventOf(
  place: Place,
  type: EventType,
  text: string,
  tool: { toolUseId?: string | undefined; toolName?: string } = {},
): EventObservation {
  const shown = clip(text, TEXT_LIMIT)
  return {
    kind: 'event',
    uuid: place.uuid,
    parentUuid: place.carry.lastUuid,
    type,
    role: ASSISTANT.has(type) ? 'assistant' : SYSTEM.has(type) ? 'system' : 'user',
    at: place.at,
    subagentId: place.subagentId,
    isSidechain: false,
    parentToolUseId: null,
    toolUseId: tool.toolUseId ?? null,
    toolName: tool.toolName ?? null,
    text: shown === '' ? null : shown,
    searchText: SEARCHED.has(type) ? clip(text, SEARCH_LIMIT) || null : null,
    ...(text.length > TEXT_LIMIT && { isCut: true }),
    foreignSessionId: null,
    isCopied: place.isCopied,
    offset: place.offset,
    length: place.length,
  }
}
