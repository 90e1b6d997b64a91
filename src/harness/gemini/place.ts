import { sha256 } from '../../util/crypto'
import { uuidText } from '../../util/uuid'
import type { Span } from '../json-lines/json-spans'
import { uuidOf } from '../json-lines/json-value'
import type { Carry } from './carry'

/** A value in a file, with what is known of the file. */
export interface Place {
  sessionId: string
  /** The sub-agent of the file; `null` = the session's main thread. */
  subagentId: string | null
  carry: Carry
  /** All bytes that are read, and the value's among them. */
  bytes: Uint8Array
  span: Span
  /** Where `bytes` begin in the journal. */
  offset: number
}

/**
 * The id of something in a session. Ids of messages are uuids, but for those that the CLI makes of other things; what has none of its own
 * (a call, its answer, a message's thinking) gets one of the id that it belongs to: wherever it stands again, it is the same.
 */
export function eventId(sessionId: string, what: string, id: string): string {
  if (what === 'message') {
    const own = uuidOf(id)
    if (own !== undefined) return own
  }
  return uuidText(sha256(sessionId, '\0', what, '\0', id).subarray(0, 16))
}
