import type { EventObservation, EventType } from '../../domain/record/observation'
import { SEARCH_LIMIT, TEXT_LIMIT } from '../../domain/record/observation'
import { clip } from '../json-lines/text'
import type { Place } from './place'

/** Types of events that search finds: messages and tool inputs. */
const SEARCHED: ReadonlySet<EventType> = new Set(['prompt', 'text', 'tool_call', 'compaction', 'error'])

/** Who writes what, in the words that the lines of all agent CLIs have. */
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

export interface EventWords {
  uuid: string
  at: number | null
  type: EventType
  text: string
  toolUseId?: string | undefined
  toolName?: string
}

/**
 * The event of a value. Files name no parent of a message, and the CLI writes the same message again further on: what an event follows is
 * told by its time alone.
 */
export function eventOf(place: Place, { uuid, at, type, text, toolUseId, toolName }: EventWords): EventObservation {
  const shown = clip(text, TEXT_LIMIT)
  return {
    kind: 'event',
    uuid,
    parentUuid: null,
    type,
    role: ROLES[type],
    at,
    subagentId: place.subagentId,
    isSidechain: false,
    parentToolUseId: null,
    toolUseId: toolUseId ?? null,
    toolName: toolName ?? null,
    text: shown === '' ? null : shown,
    searchText: SEARCHED.has(type) ? clip(text, SEARCH_LIMIT) || null : null,
    ...(text.length > TEXT_LIMIT && { isCut: true }),
    foreignSessionId: null,
    isCopied: false,
    offset: place.offset + place.span.from,
    length: place.span.to - place.span.from,
  }
}
