import { sha256 } from '../../util/crypto'
import { uuidText } from '../../util/uuid'
import type { JsonRecord } from '../json-lines/json-value'
import { idOf, recordOf, timeOf, uuidOf } from '../json-lines/json-value'
import type { Carry } from './carry'

/** A line with what is known of its file. */
export interface Place {
  type: string
  data: JsonRecord
  uuid: string
  at: number | null
  sessionId: string
  /** The sub-agent that a line is about, or that wrote it. `null` = the main thread. */
  subagentId: string | null
  /** The session of another agent CLI that the line was translated from. */
  translatedFrom: string | null
  offset: number
  length: number
  /** It was copied from the session that this one was forked or translated from. */
  isCopied: boolean
  carry: Carry
}

interface Bytes {
  sessionId: string
  offset: number
  bytes: Uint8Array
  carry: Carry
}

/** Lines are `{type, data, id, timestamp, parentId, agentId?}`. */
export function placeOf(record: JsonRecord, { sessionId, offset, bytes, carry }: Bytes): Place {
  const type = typeOf(record)
  const data = recordOf(record.data) ?? {}
  const at = timeOf(record.timestamp)
  const translatedFrom = idOf(recordOf(record.translatedFrom)?.sessionId) ?? null
  const isForked = carry.copyUntil !== null && at !== null && at < carry.copyUntil
  // The first line of its own ends what was copied, whatever clocks did later.
  if (!isForked && type !== 'session.start') carry.copyUntil = null
  const isCopied = isForked || translatedFrom !== null
  return {
    ...{ type, data, sessionId, offset, length: bytes.length, isCopied, carry },
    uuid: uuidOf(record.id) ?? uuidText(sha256(sessionId, bytes).subarray(0, 16)),
    at,
    subagentId: subagentOf(record, type, data),
    translatedFrom,
  }
}

/** The type of a line. Releases before February 2026 called what is about sub-agents after agents that a person had defined. */
const typeOf = (record: JsonRecord): string => (idOf(record.type) ?? '').replace(/^custom_agent\./, 'subagent.')

/** The sub-agent that a line is about, or that wrote it; `null` = the main thread. */
export const subagentOf = (record: JsonRecord, type: string, data: JsonRecord): string | null =>
  idOf(record.agentId) ?? agentBefore(type, data)

/** Releases whose lines do not name the sub-agent name the call that launched it: that call stands for it. */
function agentBefore(type: string, data: JsonRecord): string | null {
  const usage = recordOf(data.usage)
  const call = data.parentToolCallId ?? usage?.parentToolCallId ?? (AGENT_TYPES.has(type) ? data.toolCallId : undefined)
  return idOf(call) ?? null
}

const AGENT_TYPES: ReadonlySet<string> = new Set(['subagent.started', 'subagent.completed', 'subagent.failed'])

/** The node and time of a line, for facts beside its event. */
export const sourceOf = ({
  uuid,
  at,
  subagentId,
}: Place): { uuid: string; at: number | null; subagentId: string | null } => ({
  uuid,
  at,
  subagentId,
})
