import { KEPT } from '../../domain/record/kept-text'
import type { Observation } from '../../domain/record/observation'
import { elementsOf, fieldsOf, type Span } from '../json-lines/json-spans'
import { idOf, isRecord, type JsonRecord, listOf, textOf, timeOf } from '../json-lines/json-value'
import { clip, titleOf } from '../json-lines/text'
import { eventOf } from './event'
import { kindOf } from './kinds'
import { readMessage } from './messages'
import { readPatch } from './patch'
import { eventId, type Place } from './place'

/** Adds what a line says: the header of a file, a message, a change of what holds, or a step back. */
export function readRecord(into: Observation[], place: Place, record: JsonRecord): void {
  if (isRecord(record.$set)) readChange(into, place, record.$set)
  else if (isRecord(record.$patch)) {
    into.push(kindOf('patch'))
    readPatch(into, place, record.$patch)
  } else if (typeof record.$rewindTo === 'string') readRewind(into, place, record.$rewindTo)
  else if (typeof record.projectHash === 'string') readHeader(into, place, record)
  else if (typeof record.id === 'string') {
    into.push(kindOf(`message/${textOf(record.type) ?? ''}`))
    readMessage(into, place, record, false)
  } else into.push(kindOf('other'))
}

/** Messages of a list, each with its place. `isRestated`: they stand in the file before, most of them. */
export function readMessages(
  into: Observation[],
  place: Place,
  messages: unknown,
  spans: readonly Span[],
  isRestated: boolean,
): void {
  for (const [n, message] of listOf(messages).entries()) {
    const span = spans[n]
    if (isRecord(message) && span !== undefined) readMessage(into, { ...place, span }, message, isRestated)
  }
}

function readHeader(into: Observation[], place: Place, header: JsonRecord): void {
  into.push(kindOf(`header/${textOf(header.kind) ?? 'main'}`))
  const at = timeOf(header.startTime)
  place.carry.at ??= at
  if (place.subagentId !== null)
    into.push({
      kind: 'subagent',
      uuid: null,
      subagentId: place.subagentId,
      isBackground: false,
      run: { trigger: 'unknown', isStart: true, evidence: 'transcript:header' },
      ...(at !== null && { startedAt: at }),
    })
  readFacts(into, place, header)
}

/** `$set` takes the place of fields of the header; `messages` among them restates the whole conversation, as the model gets it from now on. */
function readChange(into: Observation[], place: Place, change: JsonRecord): void {
  into.push(kindOf('set'))
  readFacts(into, place, change)
  if (!Array.isArray(change.messages)) return
  const set = fieldsOf(place.bytes, place.span).get('$set')
  const list = set === undefined ? undefined : fieldsOf(place.bytes, set).get('messages')
  if (list === undefined) return
  // What was there when the conversation began stands nowhere else.
  readMessages(into, place, change.messages, elementsOf(place.bytes, list), place.carry.lines > 2)
}

/** What a header says, or a change of it. */
function readFacts(into: Observation[], { subagentId, carry }: Place, facts: JsonRecord): void {
  const at = timeOf(facts.lastUpdated) ?? carry.at
  const summary = textOf(facts.summary)
  if (subagentId !== null) {
    if (summary)
      into.push({
        kind: 'subagent',
        uuid: null,
        subagentId,
        end: { status: 'completed', at, evidence: 'transcript:summary', result: clip(summary, KEPT.long) },
      })
    return
  }
  const title = summary === undefined ? undefined : titleOf(summary)
  const [folder] = listOf(facts.directories)
  if (title === undefined && typeof folder !== 'string') return
  into.push({
    kind: 'session',
    uuid: null,
    at,
    ...(title !== undefined && { title: { text: title, source: 'agent' as const } }),
    ...(typeof folder === 'string' && folder !== '' && { cwd: clip(folder, 4_000) }),
  })
}

/** A person took the conversation back. What was said stays in the record. */
function readRewind(into: Observation[], place: Place, target: string): void {
  into.push(kindOf('rewind'))
  const { sessionId, carry } = place
  const uuid = eventId(sessionId, 'rewind', `${carry.lines} ${idOf(target) ?? ''}`)
  const text = `The conversation was taken back to before the message ${idOf(target) ?? '(no id)'}.`
  into.push(eventOf(place, { uuid, at: carry.at, type: 'system', text }))
}
