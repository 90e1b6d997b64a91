import type { ActivityObservation, EventObservation, EventType } from '../../domain/record/observation'
import { type EventTool, eventAt } from '../json-lines/event'
import { clip } from '../json-lines/text'
import type { Place } from './place'

/** The event of a line. */
export const eventOf = (place: Place, type: EventType, text: string, tool?: EventTool): EventObservation =>
  eventAt({ ...place, parentUuid: place.carry.lastUuid }, type, text, tool)

/** What a line of the main thread says about whether the session is at work; of a sub-agent's line nothing. */
export function activityOf(
  { uuid, at, type, subagentId }: Place,
  state: ActivityObservation['state'],
): ActivityObservation[] {
  if (subagentId !== null) return []
  return [{ kind: 'activity', uuid, at, state, evidence: clip(`transcript:${type}`, 100) }]
}
