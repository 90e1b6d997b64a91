import type { EventObservation, EventType } from '../../domain/record/observation'
import { SEARCH_LIMIT, TEXT_LIMIT } from '../../domain/record/observation'
import { clip } from '../json-lines/text'
import type { Entry } from './entry'

/** Types of events that search finds: messages and tool inputs. */
const SEARCHED: ReadonlySet<EventType> = new Set(['prompt', 'text', 'tool_call', 'notice', 'summary', 'error'])

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

/** The event of an entry. */
export function eventOf(
  entry: Entry,
  type: EventType,
  text: string,
  tool: { toolUseId?: string | undefined; toolName?: string | undefined } = {},
): EventObservation {
  const shown = clip(text, TEXT_LIMIT)
  return {
    kind: 'event',
    uuid: entry.uuid,
    parentUuid: entry.parentUuid,
    type,
    role: ROLES[type],
    at: entry.at,
    subagentId: null,
    isSidechain: false,
    parentToolUseId: null,
    toolUseId: tool.toolUseId ?? null,
    toolName: tool.toolName ?? null,
    text: shown === '' ? null : shown,
    searchText: SEARCHED.has(type) ? clip(text, SEARCH_LIMIT) || null : null,
    ...(text.length > TEXT_LIMIT && { isCut: true }),
    foreignSessionId: null,
    isCopied: entry.isCopied,
    offset: entry.offset,
    length: entry.length,
  }
}
