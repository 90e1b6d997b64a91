import { markersIn } from '../../domain/message/message'
import type { EventObservation, Observation } from '../../domain/record/observation'
import type { MessageLineRow } from '../../domain/record/record-store'
import { uuidText } from '../../util/uuid'
import type { Batch } from './batch'

const MARKER = Buffer.from('[lodeline:')

/** Notes on events which messages their lines carry by a marker. Blocks without one, which is nearly all, cost one search. */
export function noteMarkers(observations: Observation[], bytes: Uint8Array, offset: number): void {
  const block = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = block.indexOf(MARKER)
  if (at < 0) return
  const events = observations.filter((seen): seen is EventObservation => seen.kind === 'event')
  for (const event of events) {
    const start = event.offset - offset
    const end = start + event.length
    while (at >= 0 && at < start) at = block.indexOf(MARKER, start)
    if (at < 0) return
    if (at >= end) continue
    const found = markersIn(block.toString('latin1', at, end))
    if (found.length > 0) event.carries = [...(event.carries ?? []), ...found]
  }
}

/** Messages that one line may carry. */
const MAX_IN_A_LINE = 1_000

/**
 * Lines of a batch that may carry messages, where the receiver reads: in the main thread, own and not copied, and not in the
 * model's own words. A prompt's uuid is that of the message that it is, if it is one.
 */
export function messageLines(batch: Batch): MessageLineRow[] {
  const lines: MessageLineRow[] = []
  for (const { row, seen } of batch.events) {
    if (row.isInherited || row.subagentKey !== null || row.parentToolUseId !== null || row.role === 'assistant')
      continue
    const ids = [...(seen.carries ?? []), ...(row.type === 'prompt' ? [uuidText(row.uuid)] : [])]
    for (const messageId of new Set(ids.slice(0, MAX_IN_A_LINE)))
      lines.push({ sessionKey: row.sessionKey, messageId, line: row.uuid, at: row.at })
  }
  return lines
}
