import type { Harness, ParseContext } from '../../domain/harness/harness'
import type { Observation, ParsedLines } from '../../domain/record/observation'
import { elementsOf, fieldsOf } from '../json-lines/json-spans'
import { isRecord, timeOf } from '../json-lines/json-value'
import { readSafely } from '../json-lines/read-safely'
import { type Carry, readCarry, writeCarry } from './carry'
import { classify } from './classify'
import { eachLine } from './lines'
import { readMessages, readRecord } from './records'

/** Gemini CLI: the conversations of 2026, a line for each message, and the JSON documents of 2025. */
export const gemini: Harness = {
  agent: 'gemini',
  classify,
  parseLines,
  parseDocument,
  parseHook: () => null,
}

type File = Pick<Parameters<typeof readRecord>[1], 'sessionId' | 'subagentId' | 'bytes' | 'offset' | 'carry'>

const fileOf = ({ ref, offset }: ParseContext, bytes: Uint8Array, carry: Carry): File => ({
  sessionId: ref.sessionId ?? '',
  subagentId: ref.subagentId,
  bytes,
  offset,
  carry,
})

function parseLines(bytes: Uint8Array, context: ParseContext): ParsedLines {
  const { ref, offset } = context
  const carry = readCarry(context.carry)
  const parsed: ParsedLines = { observations: [], malformed: [], head: null, consumed: 0, sessionId: null }
  const file = fileOf(context, bytes, carry)
  parsed.consumed = eachLine(bytes, {
    onRecord({ record, offset: from, length }) {
      if (ref.kind !== 'transcript' && ref.kind !== 'subagent') return
      carry.lines++
      // A session that was loaded from another's file begins with a header of its own; what was copied behind it is older.
      const startedAt = parsed.head === null && typeof record.projectHash === 'string' ? timeOf(record.startTime) : null
      if (startedAt !== null) parsed.head = { at: startedAt, isOwn: true }
      readSafely(parsed, { offset: offset + from, length }, (into) =>
        readRecord(into, { ...file, span: { from, to: from + length } }, record),
      )
    },
    onBroken: (line) => parsed.malformed.push({ ...line, offset: offset + line.offset }),
  })
  parsed.carry = writeCarry(carry)
  return parsed
}

/** A session of 2025: `{sessionId, projectHash, startTime, lastUpdated, messages}`, written anew with each message. */
function parseDocument(bytes: Uint8Array, context: ParseContext): Observation[] | null {
  const record = parsedDocument(bytes)
  if (record === undefined) return null
  const into: Observation[] = []
  if (!isRecord(record)) return into
  const span = { from: 0, to: bytes.length }
  const place = { ...fileOf(context, bytes, readCarry(null)), span }
  try {
    const { messages, ...header } = record
    readRecord(into, place, header)
    const list = fieldsOf(bytes, span).get('messages')
    if (list !== undefined) readMessages(into, place, messages, elementsOf(bytes, list), false)
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
