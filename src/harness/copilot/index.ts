import type { Harness, JournalRef, ParseContext } from '../../domain/harness/harness'
import type { ParsedLines } from '../../domain/record/observation'
import type { RecordLine } from '../json-lines/each-line'
import { type Carry, readCarry, writeCarry } from './carry'
import { classify } from './classify'
import { kindOf } from './kinds'
import { eachLine } from './lines'
import { placeOf } from './place'
import { readLine } from './read-line'

/** GitHub Copilot CLI: `events.jsonl` of its sessions. */
export const copilot: Harness = {
  agent: 'copilot',
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
      if (ref.kind === 'transcript') readSafely(parsed, line, bytes, { carry, offset, ref })
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
  bytes: Uint8Array,
  from: { carry: Carry; offset: number; ref: JournalRef },
): void {
  const before = parsed.observations.length
  const offset = from.offset + at
  try {
    const place = placeOf(record, {
      sessionId: from.ref.sessionId ?? '',
      offset,
      bytes: bytes.subarray(at, at + length),
      carry: from.carry,
    })
    readLine(parsed.observations, place)
    parsed.observations.push(kindOf(place.type, place.carry.version))
    if (parsed.observations.slice(before).some(({ kind }) => kind === 'event')) from.carry.lastUuid = place.uuid
  } catch (cause) {
    parsed.observations.length = before
    const message = cause instanceof Error ? cause.message : String(cause)
    parsed.malformed.push({ offset, length, reason: `not readable: ${message.slice(0, 200)}` })
  }
}
