import type { EventObservation, EventType } from '../../domain/record/observation'
import { type EventTool, eventAt } from '../json-lines/event'
import type { Place } from './place'

export interface EventWords extends EventTool {
  uuid: string
  at: number | null
  type: EventType
  text: string
}

/**
 * The event of a value. Files name no parent of a message, and the CLI writes the same message again further on: only the time says what an
 * event follows.
 */
export function eventOf(
  { subagentId, offset, span }: Place,
  { uuid, at, type, text, ...tool }: EventWords,
): EventObservation {
  const place = { uuid, at, parentUuid: null, subagentId, isCopied: false }
  return eventAt({ ...place, offset: offset + span.from, length: span.to - span.from }, type, text, tool)
}
