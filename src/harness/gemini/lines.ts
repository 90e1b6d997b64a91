import { eachLine as eachLineOf, type LineSink, type RecordLook } from '../json-lines/each-line'
import type { JsonRecord } from '../json-lines/json-value'
import { isRecord } from '../json-lines/json-value'

/** Lines of conversations: a header begins with the session, a message with its id, a change of what holds with its mark. */
const LOOK: RecordLook = {
  begins(line, at) {
    const start = line.toString('latin1', at + 2, Math.min(line.length, at + 40))
    return /^(?:sessionId"\s*:\s*"|id"\s*:\s*"|\$(?:set|patch)"\s*:\s*\{|\$rewindTo"\s*:\s*")/.test(start)
  },
  isPlausible(record: JsonRecord) {
    if (typeof record.id === 'string') return typeof record.type === 'string' && typeof record.timestamp === 'string'
    return (
      isRecord(record.$set) ||
      isRecord(record.$patch) ||
      typeof record.$rewindTo === 'string' ||
      typeof record.projectHash === 'string'
    )
  },
}

/** As `json-lines/each-line.ts`, for lines of conversations. */
export const eachLine = (bytes: Uint8Array, sink: LineSink): number => eachLineOf(bytes, LOOK, sink)
