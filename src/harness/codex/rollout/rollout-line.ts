import { sha256 } from '../../../util/crypto'
import { uuidText } from '../../../util/uuid'
import type { JsonRecord } from '../../json-lines/json-value'
import { idOf, recordOf, timeOf } from '../../json-lines/json-value'
import { isItemType } from './kinds'

/** A line of a rollout of any release, in the form of the newest. */
export interface RolloutLine {
  type: string
  payload: JsonRecord
  /** The type inside, where the payload has one. */
  inner: string | undefined
  at: number | null
  uuid: string
  offset: number
  length: number
}

/**
 * Lines since 0.39 are envelopes `{timestamp, type, payload}`, from some release on with an `ordinal`. Before, the first line was the bare
 * `session_meta`, and the others bare items without a time, between lines with a `record_type`.
 */
export function rolloutLine(
  record: JsonRecord,
  thread: string,
  place: { offset: number; length: number; bytes: Uint8Array; number: number },
): RolloutLine {
  const { offset, length, bytes, number } = place
  const at = timeOf(record.timestamp)
  const uuid = uuidOfLine(thread, bytes, at === null ? number : null)
  const envelope = recordOf(record.payload)
  if (envelope !== undefined) {
    const type = idOf(record.type) ?? ''
    return { type, payload: envelope, inner: idOf(envelope.type), at, uuid, offset, length }
  }
  const bare = { payload: record, at, uuid, offset, length }
  const type = bareTypeOf(record)
  if (type === 'response_item') return { ...bare, type, inner: idOf(record.type) }
  return { ...bare, type: type ?? idOf(record.type) ?? '', inner: undefined }
}

/** The type that a line without an envelope would have in one; `undefined` = it is none of those that releases before 0.39 wrote. */
export function bareTypeOf(record: JsonRecord): string | undefined {
  const type = idOf(record.type)
  if (type !== undefined) return isItemType(type) ? 'response_item' : undefined
  const other = idOf(record.record_type)
  if (other !== undefined) return other === 'state' ? 'session_state' : other
  return typeof record.id === 'string' && timeOf(record.timestamp) !== null ? 'session_meta' : undefined
}

/**
 * The id of a line. The CLI gives none that all lines and releases have, so it is made of the thread and the line's bytes: a line that
 * stands twice is one event, wherever it is moved to. Lines without a time may repeat each other's words, so their number counts too: masks
 * in lines before move the offset.
 */
function uuidOfLine(thread: string, bytes: Uint8Array, number: number | null): string {
  return uuidText(sha256(thread, number === null ? '' : String(number), bytes).subarray(0, 16))
}
