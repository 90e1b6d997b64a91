import type { EventObservation, EventType } from '../../../domain/record/observation'
import { type EventTool, eventAt } from '../../json-lines/event'
import type { Place } from './place'

/** The event of a line. */
export const eventOf = (place: Place, type: EventType, text: string, tool?: EventTool): EventObservation =>
  eventAt({ ...place, parentUuid: place.carry.lastUuid, isCopied: place.carry.copyUntil !== null }, type, text, tool)
