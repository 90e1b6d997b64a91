import type { Harness, ParseContext } from '../../domain/harness/harness'
import type { ParsedLines } from '../../domain/record/observation'
import { idOf } from '../json-lines/json-value'
import { readSafely } from '../json-lines/read-safely'
import { readCarry, writeCarry } from './carry'
import { classify } from './classify'
import { readDocument } from './document/read-document'
import { kindOf } from './kinds'
import { lineOf } from './line'
import { eachLine } from './lines'
import { readLine } from './read-line'
import { readMeta } from './subagents'

/** Qwen Code: the conversations of 2026, a line for each message, and the JSON documents of 2025. */
export const qwen: Harness = {
  agent: 'qwen',
  classify,
  parseLines,
  parseDocument: (bytes, context) =>
    context.ref.kind === 'subagent_meta' ? readMeta(bytes, context.ref) : readDocument(bytes, context),
  parseHook: () => null,
}

function parseLines(bytes: Uint8Array, { ref, offset, carry: before }: ParseContext): ParsedLines {
  const carry = readCarry(before)
  const parsed: ParsedLines = { observations: [], malformed: [], head: null, consumed: 0, sessionId: null }
  parsed.consumed = eachLine(bytes, {
    onRecord({ record, offset: at, length }) {
      if (ref.kind !== 'transcript' && ref.kind !== 'subagent') return
      const place = { offset: offset + at, length }
      readSafely(parsed, place, (into) => {
        const line = lineOf(record, { ...place, subagentId: ref.subagentId, carry })
        if (line === undefined) into.push(kindOf(idOf(record.type) ?? 'other', 'none', undefined))
        else readLine(into, line)
      })
    },
    onBroken: (line) => parsed.malformed.push({ ...line, offset: offset + line.offset }),
  })
  parsed.carry = writeCarry(carry)
  return parsed
}
