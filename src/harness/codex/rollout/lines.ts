import { eachLine as eachLineOf, type LineSink, type RecordLook } from '../../json-lines/each-line'
import type { JsonRecord } from '../../json-lines/json-value'
import { isRecord } from '../../json-lines/json-value'
import { isLineType } from './kinds'
import { bareTypeOf } from './rollout-line'

/** Lines of rollouts: an envelope begins with its time, a bare line of 2025 with its type or its id. */
const LOOK: RecordLook = {
  begins(line, at) {
    const start = line.toString('latin1', at + 2, Math.min(line.length, at + 40))
    if (/^timestamp"\s*:\s*"\d{4}-/.test(start)) return true
    // What an envelope holds has the form of an item of 2025: half an envelope is no such item.
    const before = line.toString('latin1', Math.max(0, at - 20), at)
    return /^(?:type"\s*:\s*"|record_type"|id"\s*:\s*")/.test(start) && !/"payload"\s*:\s*$/.test(before)
  },
  isPlausible(record: JsonRecord) {
    if (typeof record.timestamp === 'string' && typeof record.type === 'string') return isRecord(record.payload)
    // A line that holds no words counts too: the ids of the bare lines after it hold their number.
    return bareTypeOf(record) !== undefined && !(typeof record.type === 'string' && isLineType(record.type))
  },
}

/** As `json-lines/each-line.ts`, for lines of rollouts. */
export const eachLine = (bytes: Uint8Array, sink: LineSink): number => eachLineOf(bytes, LOOK, sink)
