import type { ActivityObservation, EventObservation, EventType } from '../../domain/record/observation'
import { SEARCH_LIMIT, TEXT_LIMIT } from '../../domain/record/observation'
import { clip } from '../json-lines/text'
import type { Place } from './place'

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

/** The event of a line. */
export function eventOf(
  place: Place,
  type: EventType,
  text: string,
  tool: { toolUseId?: string | undefined; toolName?: string | undefined } = {},
): EventObservation {
  const shown = clip(text, TEXT_LIMIT)
  return {
    kind: 'event',
    uuid: place.uuid,
    parentUuid: place.carry.lastUuid,
    type,
    role: ROLES[type],
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
    isCopied: false,
    offset: place.offset,
    length: place.length,
  }
}

/** What a line of the main thread says about whether the session is at work; of a sub-agent's line nothing. */
export function activityOf(
  { uuid, at, type, subagentId }: Place,
  state: ActivityObservation['state'],
): ActivityObservation[] {
  if (subagentId !== null) return []
  return [{ kind: 'activity', uuid, at, state, evidence: clip(`transcript:${type}`, 100) }]
}
