import { eachLine as eachLineOf, type LineSink, type RecordLook } from '../json-lines/each-line'
import type { JsonRecord } from '../json-lines/json-value'
import { isRecord } from '../json-lines/json-value'

const LOOK: RecordLook = {
  begins(line, at) {
    return /^type"\s*:\s*"[a-z]/.test(line.toString('latin1', at + 2, Math.min(line.length, at + 40)))
  },
  isPlausible(record: JsonRecord) {
    return typeof record.type === 'string' && isRecord(record.data) && typeof record.timestamp === 'string'
  },
}

/** As `json-lines/each-line.ts`, for lines of `events.jsonl`. */
export const eachLine = (bytes: Uint8Array, sink: LineSink): number => eachLineOf(bytes, LOOK, sink)
