import { eachLine as eachLineOf, type LineSink, type RecordLook } from '../json-lines/each-line'
import { textOf } from '../json-lines/json-value'

/** How the lines of our journals of rows begin. */
const LOOK: RecordLook = {
  begins: (line, at) => line.toString('latin1', at, Math.min(line.length, at + 10)) === '{"table":"',
  isPlausible: (record) => textOf(record.table) !== undefined && textOf(record.version) !== undefined,
}

/** Gives every whole line of a journal to `sink`. @returns bytes consumed */
export const eachLine = (bytes: Uint8Array, sink: LineSink): number => eachLineOf(bytes, LOOK, sink)
