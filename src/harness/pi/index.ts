import type { Harness, ParseContext } from '../../domain/harness/harness'
import type { ParsedLines } from '../../domain/record/observation'
import type { RecordLine } from '../json-lines/each-line'
import { type Carry, readCarry, writeCarry } from './carry'
import { classify } from './classify'
import { readEntry } from './entries'
import { entryOf } from './entry'
import { eachLine } from './lines'

/** Pi: the files of sessions of all releases. */
export const pi: Harness = {
  agent: 'pi',
  classify,
  parseLines,
  parseDocument: () => [],
  parseHook: () => null,
}

function parseLines(bytes: Uint8Array, { ref, offset, carry: before }: ParseContext): ParsedLines {
  const carry = readCarry(before)
  const parsed: ParsedLines = { observations: [], malformed: [], head: null, consumed: 0, sessionId: null }
  parsed.consumed = eachLine(bytes, {
    onRecord(line) {
      if (ref.kind === 'transcript') readSafely(parsed, line, { carry, offset })
    },
    onBroken: (line) => parsed.malformed.push({ ...line, offset: offset + line.offset }),
  })
  parsed.carry = writeCarry(carry)
  return parsed
}

/** Takes back what a line said when reading it failed: a mistake of ours costs one line, and shows. */
function readSafely(
  parsed: ParsedLines,
  { record, offset: at, length }: RecordLine,
  { carry, offset: start }: { carry: Carry; offset: number },
): void {
  const before = parsed.observations.length
  const offset = start + at
  try {
    readEntry(parsed.observations, entryOf(record, carry, { offset, length }))
  } catch (cause) {
    parsed.observations.length = before
    const message = cause instanceof Error ? cause.message : String(cause)
    parsed.malformed.push({ offset, length, reason: `not readable: ${message.slice(0, 200)}` })
  }
}
