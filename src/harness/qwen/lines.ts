import { eachLine as eachLineOf, type LineSink, type RecordLook } from '../json-lines/each-line'
import type { JsonRecord } from '../json-lines/json-value'

/** Each line begins with its id. */
const LOOK: RecordLook = {
  begins: (line, at) => /^uuid"\s*:\s*"/.test(line.toString('latin1', at + 2, Math.min(line.length, at + 20))),
  isPlausible: (record: JsonRecord) => typeof record.type === 'string' && typeof record.sessionId === 'string',
}

/** As `json-lines/each-line.ts`, for lines of conversations. */
export const eachLine = (bytes: Uint8Array, sink: LineSink): number => eachLineOf(bytes, LOOK, sink)
