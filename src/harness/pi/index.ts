import type { Harness, ParseContext } from '../../domain/harness/harness'
import type { ParsedLines } from '../../domain/record/observation'
import { readSafely } from '../json-lines/read-safely'
import { readCarry, writeCarry } from './carry'
import { classify } from './classify'
import { readEntry } from './entries'
import { entryOf } from './entry'
import { recordHook } from './hooks/record-hook'
import { eachLine } from './lines'

/** Pi: the files of sessions of all releases. */
export const pi: Harness = {
  agent: 'pi',
  classify,
  parseLines,
  parseDocument: () => [],
  parseHook: recordHook,
}

function parseLines(bytes: Uint8Array, { ref, offset, carry: before }: ParseContext): ParsedLines {
  const carry = readCarry(before)
  const parsed: ParsedLines = { observations: [], malformed: [], head: null, consumed: 0, sessionId: null }
  parsed.consumed = eachLine(bytes, {
    onRecord(line) {
      if (ref.kind !== 'transcript') return
      const place = { offset: offset + line.offset, length: line.length }
      readSafely(parsed, place, (into) => readEntry(into, entryOf(line.record, carry, place)))
    },
    onBroken: (line) => parsed.malformed.push({ ...line, offset: offset + line.offset }),
  })
  parsed.carry = writeCarry(carry)
  return parsed
}
