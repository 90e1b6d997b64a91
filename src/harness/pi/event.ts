import type { EventObservation, EventType } from '../../domain/record/observation'
import { type EventTool, eventAt } from '../json-lines/event'
import type { Entry } from './entry'

/** The event of an entry. */
export const eventOf = (entry: Entry, type: EventType, text: string, tool?: EventTool): EventObservation =>
  eventAt({ ...entry, subagentId: null }, type, text, tool)
