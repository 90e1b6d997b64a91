import { eachLine as eachLineOf, type LineSink, type RecordLook } from '../json-lines/each-line'
import type { JsonRecord } from '../json-lines/json-value'
import { timeOf } from '../json-lines/json-value'
import { isType } from './kinds'

/** Lines of sessions: all of them begin with their type, and have a time. Parts of a message have none in this form. */
const LOOK: RecordLook = {
  begins: (line, at) => /^type"\s*:\s*"[a-z_]+"/.test(line.toString('latin1', at + 2, Math.min(line.length, at + 50))),
  isPlausible: (record: JsonRecord) =>
    typeof record.type === 'string' &&
    isType(record.type) &&
    typeof record.timestamp === 'string' &&
    timeOf(record.timestamp) !== null,
}

/** As `json-lines/each-line.ts`, for lines of sessions. */
export const eachLine = (bytes: Uint8Array, sink: LineSink): number => eachLineOf(bytes, LOOK, sink)
