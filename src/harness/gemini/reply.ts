import type { Observation } from '../../domain/record/observation'
import { elementsOf, fieldsOf } from '../json-lines/json-spans'
import { idOf, isRecord, type JsonRecord, listOf, textOf } from '../json-lines/json-value'
import { callIn, isThought, partsOf, wordsIn } from '../json-lines/parts'
import { type CallPlace, readCall, readToolCall } from './calls'
import { eventOf } from './event'
import { activity, type Message } from './message'
import { eventId, type Place } from './place'
import { usageOf } from './usage'

/** The model of usage whose message names none. */
const UNKNOWN_MODEL = 'unknown'
/** Thoughts and calls of one message that are read. */
const LIST_LIMIT = 10_000

/**
 * A reply of the model. It is written once as it came, and once more when its tools have answered, then with `toolCalls`. Its thinking, its
 * words and each call and answer are events of their own, each with its place within the line.
 */
export function readReply(into: Observation[], message: Message): void {
  const { place, record, id, at } = message
  const { sessionId } = place
  const uuid = eventId(sessionId, 'message', id)
  const start = into.length
  readModel(into, message)
  const parts = partsOf(record.content)
  const calls = listOf(record.toolCalls).slice(0, LIST_LIMIT).filter(isRecord)
  const thoughts = [...thoughtsOf(record.thoughts), ...parts.filter(isThought).map(({ text }) => String(text))]
  const words = parts.flatMap((part) => wordsIn(part) ?? []).join('')
  const isAlone = calls.length === 0 && thoughts.length === 0 && parts.every((part) => callIn(part) === undefined)
  const fields = isAlone ? null : fieldsOf(place.bytes, place.span)
  const placeOf = (field: string): Place => ({ ...place, span: fields?.get(field) ?? place.span })

  if (thoughts.length > 0) {
    const where = placeOf(listOf(record.thoughts).length > 0 ? 'thoughts' : 'content')
    const text = thoughts.join('\n')
    into.push(eventOf(where, { uuid: eventId(sessionId, 'thinking', id), at, type: 'thinking', text }))
  }
  if (words !== '') into.push(eventOf(placeOf('content'), { uuid, at, type: 'text', text: words }))
  readCalls(into, message, calls, placeOf('toolCalls'))
  readPartCalls(into, message, calls, placeOf('content'))
  const events = into.slice(start).flatMap((seen) => (seen.kind === 'event' ? seen.uuid : []))
  readUsage(into, message, events[0] ?? uuid)
  // Calls are written down once they are answered: until then their message says nothing of them.
  const state = words !== '' && calls.length === 0 ? 'idle' : 'working'
  if (words !== '' || thoughts.length > 0) into.push(...activity(message, at, state, 'reply'))
}

/** The calls as the CLI keeps them, with their answers. */
function readCalls(into: Observation[], message: Message, calls: readonly JsonRecord[], list: Place): void {
  if (calls.length === 0) return
  const spans = elementsOf(list.bytes, list.span)
  const all = listOf(message.record.toolCalls)
  for (const call of calls) {
    const span = spans[all.indexOf(call)]
    if (span !== undefined) readToolCall(into, { ...message, place: { ...message.place, span } }, call)
  }
}

/** Calls that stand in the words alone, as in a conversation that was restated. */
function readPartCalls(into: Observation[], message: Message, kept: readonly JsonRecord[], content: Place): void {
  const known = new Set(kept.map(({ id }) => idOf(id)))
  const list = listOf(message.record.content)
  const spans = list.some((part) => isRecord(part) && callIn(part)) ? elementsOf(content.bytes, content.span) : []
  for (const [n, part] of list.slice(0, LIST_LIMIT).entries()) {
    const call = isRecord(part) ? callIn(part) : undefined
    const span = spans[n]
    if (call === undefined || span === undefined || known.has(call.toolUseId)) continue
    const where: CallPlace = { ...message, place: { ...content, span } }
    readCall(into, where, call)
  }
}

function readModel(into: Observation[], { place, record, id, at }: Message): void {
  const model = idOf(record.model)
  if (model === undefined || model === place.carry.model) return
  place.carry.model = model
  const uuid = eventId(place.sessionId, 'message', id)
  const { subagentId } = place
  into.push(subagentId === null ? { kind: 'session', uuid, at, model } : { kind: 'subagent', uuid, subagentId, model })
}

function readUsage(into: Observation[], { place, record, id, at }: Message, eventUuid: string): void {
  const usage = usageOf(record.tokens, {
    // The usage of an event of this line: a copied one counts nothing.
    uuid: eventUuid,
    messageId: id,
    model: idOf(record.model) ?? place.carry.model ?? UNKNOWN_MODEL,
    subagentId: place.subagentId,
    at,
  })
  if (usage !== undefined) into.push(usage)
}

/** Thoughts are `{subject, description}`. */
export function thoughtsOf(thoughts: unknown): string[] {
  return listOf(thoughts)
    .slice(0, LIST_LIMIT)
    .flatMap((thought) => {
      if (!isRecord(thought)) return typeof thought === 'string' ? [thought] : []
      const text = [textOf(thought.subject), textOf(thought.description)].filter(Boolean).join('\n')
      return text === '' ? [] : [text]
    })
}
