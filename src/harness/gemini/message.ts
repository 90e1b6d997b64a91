import type { ActivityObservation } from '../../domain/record/observation'
import type { JsonRecord } from '../json-lines/json-value'
import { eventId, type Place } from './place'

/** A message with what is known of it beside its place. */
export interface Message {
  place: Place
  record: JsonRecord
  id: string
  at: number | null
  /** It stands in the file before, so it tells nothing of what happens now. */
  isRestated: boolean
}

/** Whether the session is at work, as a message of its main thread tells it. */
export function activity(
  { place, id, isRestated }: Message,
  at: number | null,
  state: ActivityObservation['state'],
  what: string,
): ActivityObservation[] {
  if (isRestated || place.subagentId !== null) return []
  const uuid = eventId(place.sessionId, 'message', id)
  return [{ kind: 'activity', uuid, at, state, evidence: `transcript:${what}` }]
}
