import type { Observation } from '../../domain/record/observation'
import { elementsOf, fieldsOf } from '../json-lines/json-spans'
import { idOf, isRecord, type JsonRecord, listOf } from '../json-lines/json-value'
import { partsOf, wordsIn } from '../json-lines/parts'
import { addResult, resultOf } from './calls'
import { eventOf } from './event'
import { readMessage } from './messages'
import { eventId, type Place } from './place'

/**
 * Adds what a change of one message says, or of several (0.64): `{id, content?, toolCalls?: [{id, result}]}`, `{updates: […]}`. Releases
 * that write it restate no whole message when a tool has answered. Earlier facts stay: an event is known by its id.
 */
export function readPatch(into: Observation[], place: Place, patch: JsonRecord): void {
  const span = fieldsOf(place.bytes, place.span).get('$patch')
  if (span === undefined) return
  readOne(into, { ...place, span }, patch)
  const fields = fieldsOf(place.bytes, span)
  const list = fields.get('updates')
  const spans = list === undefined ? [] : elementsOf(place.bytes, list)
  for (const [n, update] of listOf(patch.updates).entries()) {
    const own = spans[n]
    if (!isRecord(update) || own === undefined) continue
    if (typeof update.type === 'string') readMessage(into, { ...place, span: own }, update, true)
    else readOne(into, { ...place, span: own }, update)
  }
}

function readOne(into: Observation[], place: Place, patch: JsonRecord): void {
  const id = idOf(patch.id)
  if (id === undefined) return
  const at = place.carry.at
  const message = { place, record: patch, id, at, isRestated: true }
  const text = partsOf(patch.content)
    .flatMap((part) => wordsIn(part) ?? [])
    .join('')
  if (text !== '') into.push(eventOf(place, { uuid: eventId(place.sessionId, 'message', id), at, type: 'text', text }))
  const list = fieldsOf(place.bytes, place.span).get('toolCalls')
  const spans = list === undefined ? [] : elementsOf(place.bytes, list)
  for (const [n, call] of listOf(patch.toolCalls).entries()) {
    const toolUseId = isRecord(call) ? idOf(call.id) : undefined
    // Without a result the model no longer sees it: it saw it before.
    if (!isRecord(call) || toolUseId === undefined || partsOf(call.result).length === 0) continue
    const span = spans[n] && fieldsOf(place.bytes, spans[n]).get('result')
    const where = span === undefined ? message : { ...message, place: { ...place, span } }
    addResult(into, where, { toolUseId, ...resultOf(call), isInterrupted: false })
  }
}
