import type { LivePiece } from '../../../domain/session/live'
import { idOf, parsedJson, recordOf, textOf } from '../../json-lines/json-value'

/** Most lines of a run are of others: only these are parsed. */
const TELLING = ['"type":"stream_event"', '"type":"assistant"', '"type":"result"'].map((text) => Buffer.from(text))
/** The type stands first or, in some releases, last. */
const HEAD_BYTES = 2_000

/** The model's words from `stream_event` lines, until the message's own line is there. */
export function livePieces(line: Uint8Array): LivePiece[] {
  const bytes = Buffer.from(line.buffer, line.byteOffset, Math.min(line.byteLength, HEAD_BYTES))
  if (!TELLING.some((text) => bytes.includes(text))) return []
  const record = recordOf(parsedJson(line))
  if (record === undefined || idOf(record.parent_tool_use_id) !== undefined || idOf(record.agent_id) !== undefined)
    return []
  if (record.type === 'assistant' || record.type === 'result') return [{ kind: 'said' }]
  const event = recordOf(record.event)
  if (event?.type === 'message_start') return [{ kind: 'said' }]
  const delta = event?.type === 'content_block_delta' ? recordOf(event.delta) : undefined
  const text = delta?.type === 'text_delta' ? textOf(delta.text) : undefined
  return text === undefined ? [] : [{ kind: 'words', text }]
}
