import type { Observation } from '../../../domain/record/observation'
import { sha256 } from '../../../util/crypto'
import { uuidText } from '../../../util/uuid'
import { elementsOf, fieldsOf, type Span } from '../../json-lines/json-spans'
import { idOf, isRecord, type JsonRecord, listOf, textOf, timeOf } from '../../json-lines/json-value'
import type { Carry } from '../carry'
import { kindOf } from '../kinds'
import { readLine } from '../read-line'
import { type Line, lineOf } from './line-of'
import { Screen, type Shown } from './screen'

interface Place {
  sessionId: string
  bytes: Uint8Array
  /** The document within the bytes, and where the bytes begin in their file. */
  span: Span
  offset: number
  carry: Carry
}

/**
 * Adds what a session of 2025 says: `{sessionId, startTime, chatMessages: […], timeline: […]}`. Its messages are what the model got, its
 * timeline is what the screen showed. Nothing in it tells the folder, the release or tokens.
 */
export function readHistory(into: Observation[], place: Place, history: JsonRecord): void {
  const { bytes, span } = place
  const startedAt = timeOf(history.startTime)
  const model = idOf(history.selectedModel)
  into.push({ kind: 'session', uuid: null, at: startedAt, ...(model !== undefined && { model }) })
  const fields = fieldsOf(bytes, span)
  const spansOf = (name: string): Span[] => {
    const list = fields.get(name)
    return list === undefined ? [] : elementsOf(bytes, list)
  }
  const [messages, timeline] = [listOf(history.chatMessages), listOf(history.timeline)]
  const screen = new Screen(timeline)
  let at = startedAt
  for (const [n, each] of spansOf('chatMessages').entries()) {
    const message = messages[n]
    if (!isRecord(message)) continue
    const shown = screen.take(message, callsOf(message))
    at = shown?.at ?? at
    readValue(into, { ...place, span: each, value: message, at, id: idFor(place, `message ${n}`, message), shown })
  }
  const spans = spansOf('timeline')
  for (const n of screen.left()) {
    const [entry, each] = [timeline[n], spans[n]]
    if (!isRecord(entry) || each === undefined) continue
    const own = { value: entry, at: timeOf(entry.timestamp), id: idFor(place, 'entry', entry) }
    readValue(into, { ...place, span: each, ...own, shown: undefined })
  }
}

const callsOf = ({ tool_calls }: JsonRecord): string[] =>
  listOf(tool_calls).flatMap((call) => (isRecord(call) ? (idOf(call.id) ?? []) : []))

/** The CLI writes the document anew with each message, and a later release puts it into a line: what a value says stays. */
const idFor = ({ sessionId }: Place, kind: string, value: JsonRecord): string =>
  uuidText(sha256(sessionId, '\0', kind, '\0', idOf(value.id) ?? JSON.stringify(value)).subarray(0, 16))

interface Value extends Place {
  value: JsonRecord
  at: number | null
  id: string
  shown: Shown | undefined
}

function readValue(into: Observation[], { value, at, id, shown, span, offset, sessionId, carry }: Value): void {
  const line = lineOf(value)
  into.push({
    ...kindOf('', null),
    name: `history/${(textOf(value.role) ?? textOf(value.type) ?? '').slice(0, 80)}`,
    isKnown: line !== undefined,
  })
  if (line === undefined) return
  const before = into.length
  readLine(into, {
    ...withOutcome(line, shown),
    ...{ uuid: id, at, sessionId, subagentId: null, translatedFrom: null, isCopied: false, carry },
    ...{ offset: offset + span.from, length: span.to - span.from },
  })
  if (into.slice(before).some(({ kind }) => kind === 'event')) carry.lastUuid = id
}

const withOutcome = ({ type, data }: Line, shown: Shown | undefined): Line =>
  type === 'tool.execution_complete' && shown?.hasFailed === true
    ? { type, data: { ...data, success: false } }
    : { type, data }
