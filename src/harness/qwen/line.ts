import type { ActivityObservation, EventObservation, EventType } from '../../domain/record/observation'
import { type EventTool, eventAt } from '../json-lines/event'
import { idOf, type JsonRecord, recordOf, timeOf, uuidOf } from '../json-lines/json-value'
import { partsOf } from '../json-lines/parts'
import type { Carry } from './carry'

/** A line with what is known of its file. */
export interface Line {
  record: JsonRecord
  uuid: string
  at: number | null
  subagentId: string | null
  /** A fork's copy of another session's line. */
  isCopied: boolean
  parts: JsonRecord[]
  carry: Carry
  offset: number
  length: number
}

/** `undefined` = the line has no id: it is no line of a conversation. */
export function lineOf(
  record: JsonRecord,
  place: Pick<Line, 'subagentId' | 'carry' | 'offset' | 'length'>,
): Line | undefined {
  const uuid = uuidOf(record.uuid)
  if (uuid === undefined) return undefined
  return {
    ...place,
    record,
    uuid,
    at: timeOf(record.timestamp),
    subagentId: place.subagentId ?? sidechainOf(record),
    isCopied: idOf(recordOf(record.forkedFrom)?.sessionId) !== undefined,
    parts: partsOf(recordOf(record.message)?.parts),
  }
}

/** The agent of a line that stands between those of its launcher. */
const sidechainOf = ({ isSidechain, agentId }: JsonRecord): string | null =>
  isSidechain === true ? (idOf(agentId) ?? null) : null

/** The event of a line. */
export const eventOf = (line: Line, type: EventType, text: string, tool?: EventTool): EventObservation =>
  eventAt({ ...line, parentUuid: uuidOf(line.record.parentUuid) ?? null }, type, text, tool)

/** Whether the session is at work, as a line of its main thread tells it. */
export function activity(line: Line, state: ActivityObservation['state'], what: string): ActivityObservation[] {
  if (line.subagentId !== null) return []
  return [{ kind: 'activity', uuid: line.uuid, at: line.at, state, evidence: `transcript:${what}` }]
}
