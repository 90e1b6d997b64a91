import type { Harness, ParseContext } from '../../domain/harness/harness'
import type { Observation, ParsedLines } from '../../domain/record/observation'
import type { RecordLine } from '../json-lines/each-line'
import { fieldsOf, type Span } from '../json-lines/json-spans'
import { isRecord, type JsonRecord, recordOf } from '../json-lines/json-value'
import { readSafely } from '../json-lines/read-safely'
import { type Carry, readCarry, writeCarry } from './carry'
import { classify } from './classify'
import { readHistory } from './history/read-history'
import { recordHook } from './hooks/record-hook'
import { kindOf } from './kinds'
import { eachLine } from './lines'
import { placeOf } from './place'
import { readLine } from './read-line'

/** GitHub Copilot CLI: `events.jsonl` of its sessions, and the JSON documents of 2025. */
export const copilot: Harness = {
  agent: 'copilot',
  classify,
  parseLines,
  parseDocument,
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
    if (place.type === 'session.import_legacy')
      readImported(into, place.data, { sessionId, bytes, carry, offset: start }, at, length)
    else readLine(into, place)
    // A copied line says nothing of this session, and counts nothing.
    if (place.isCopied && place.translatedFrom === null)
      into.splice(before, into.length, ...into.slice(before).filter(isOfMainThread))
    into.push(kindOf(place.type, carry.version))
    if (into.slice(before).some((seen) => seen.kind === 'event' && seen.uuid === place.uuid))
      carry.lastUuid = place.uuid
  })
}

interface Source {
  sessionId: string
  bytes: Uint8Array
  carry: Carry
  offset: number
}

/** A session of 2025 that a later release took over, as one line. */
function readImported(into: Observation[], data: JsonRecord, source: Source, at: number, length: number): void {
  const history = recordOf(data.legacySession)
  const field = (span: Span | undefined, name: string): Span | undefined =>
    span === undefined ? undefined : fieldsOf(source.bytes, span).get(name)
  const span = field(field({ from: at, to: at + length }, 'data'), 'legacySession')
  if (history !== undefined && span !== undefined) readHistory(into, { ...source, span }, history)
}

function parseDocument(bytes: Uint8Array, { ref, offset }: ParseContext): Observation[] | null {
  const history = parsedDocument(bytes)
  if (history === undefined) return null
  const into: Observation[] = []
  if (!isRecord(history)) return into
  try {
    const span = { from: 0, to: bytes.length }
    readHistory(into, { sessionId: ref.sessionId ?? '', bytes, span, offset, carry: readCarry(null) }, history)
  } catch {
    into.length = 0
  }
  return into
}

function parsedDocument(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return undefined
  }
}

const isOfMainThread = (seen: Observation): boolean => seen.kind === 'event' && seen.subagentId === null
