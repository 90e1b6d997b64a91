import type { ParseContext } from '../../../domain/harness/harness'
import type { Observation } from '../../../domain/record/observation'
import { elementsOf, fieldsOf, type Span } from '../../json-lines/json-spans'
import { isRecord, type JsonRecord, listOf, parsedJson, textOf, timeOf } from '../../json-lines/json-value'
import { titleOf } from '../../json-lines/text'
import { readCarry } from '../carry'
import { lineOf } from '../line'
import { readLine } from '../read-line'
import { linesOf } from './lines-of'

/** What a session of 2025 says: `{sessionId, projectHash, startTime, lastUpdated, messages}`, written anew with each message. */
export function readDocument(bytes: Uint8Array, { ref, offset }: ParseContext): Observation[] | null {
  const document = parsedJson(bytes)
  if (document === undefined) return null
  const into: Observation[] = []
  if (!isRecord(document)) return into
  const title = titleOf(textOf(document.summary) ?? '')
  const at = timeOf(document.startTime)
  into.push({
    kind: 'session',
    uuid: null,
    at,
    ...(title !== undefined && { title: { text: title, source: 'agent' } }),
  })
  const carry = readCarry(null)
  const list = fieldsOf(bytes, { from: 0, to: bytes.length }).get('messages')
  const spans = list === undefined ? [] : elementsOf(bytes, list)
  let parentUuid: unknown = null
  for (const [n, message] of listOf(document.messages).entries()) {
    const span = spans[n]
    if (!isRecord(message) || span === undefined) continue
    const calls = callsIn(bytes, span)
    for (const { record, call } of linesOf(message, ref.sessionId ?? '')) {
      const { from, to } = (call === null ? undefined : calls[call]) ?? span
      const place = { offset: offset + from, length: to - from, subagentId: null, carry }
      const line = lineOf({ ...record, parentUuid }, place)
      const before = into.length
      try {
        if (line !== undefined) readLine(into, line)
      } catch {
        // A mistake of ours costs one message.
        into.length = before
      }
      parentUuid = record.uuid
    }
  }
  return into
}

function callsIn(bytes: Uint8Array, span: Span): Span[] {
  const list = fieldsOf(bytes, span).get('toolCalls')
  return list === undefined ? [] : elementsOf(bytes, list)
}

/** The messages of a document; `undefined` = the bytes are none. */
export function messagesIn(bytes: Uint8Array): JsonRecord[] | undefined {
  const document = /^\s*\{\s*"sessionId"\s*:/.test(new TextDecoder().decode(bytes.subarray(0, 100)))
    ? parsedJson(bytes)
    : undefined
  return isRecord(document) && Array.isArray(document.messages) ? document.messages.filter(isRecord) : undefined
}
