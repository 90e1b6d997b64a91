import type { Harness, ParseContext } from '../../domain/harness/harness'
import type { Observation, ParsedLines } from '../../domain/record/observation'
import type { RecordLine } from '../json-lines/each-line'
import { readSafely } from '../json-lines/read-safely'
import { type Carry, readCarry, writeCarry } from './carry'
import { classify } from './classify'
import { recordHook } from './hooks/record-hook'
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
  parseHook: recordHook,
}

function parseLines(bytes: Uint8Array, { ref, offset, carry: before }: ParseContext): ParsedLines {
  const carry = readCarry(before)
  const parsed: ParsedLines = { observations: [], malformed: [], head: null, consumed: 0, sessionId: null }
  parsed.consumed = eachLine(bytes, {
    onRecord(line) {
      if (ref.kind === 'transcript') readRecord(parsed, line, bytes, { sessionId: ref.sessionId ?? '', carry, offset })
    },
    onBroken: (line) => parsed.malformed.push({ ...line, offset: offset + line.offset }),
  })
  parsed.carry = writeCarry(carry)
  return parsed
}

function readRecord(
  parsed: ParsedLines,
  { record, offset: at, length }: RecordLine,
  bytes: Uint8Array,
  { sessionId, carry, offset: start }: { sessionId: string; carry: Carry; offset: number },
): void {
  const offset = start + at
  readSafely(parsed, { offset, length }, (into) => {
    const before = into.length
    const place = placeOf(record, { sessionId, offset, bytes: bytes.subarray(at, at + length), carry })
    readLine(into, place)
    // A copied line says nothing of this session, and counts nothing.
    if (place.isCopied && place.translatedFrom === null)
      into.splice(before, into.length, ...into.slice(before).filter(isOfMainThread))
    into.push(kindOf(place.type, carry.version))
    if (into.slice(before).some(({ kind }) => kind === 'event')) carry.lastUuid = place.uuid
  })
}

const isOfMainThread = (seen: Observation): boolean => seen.kind === 'event' && seen.subagentId === null
