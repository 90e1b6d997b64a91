import type { Observation } from '../../domain/record/observation'
import { isRecord, type JsonRecord, recordOf, textOf } from '../json-lines/json-value'
import { clip } from '../json-lines/text'
import { activityOf } from './activity'
import { eventOf } from './event'
import { splitMessage } from './first-messages'
import { readPart, readUsage } from './parts'
import { type Place, sourceOf, timesOf, uuidOfRow } from './place'

/** Adds what the row of a message says: the model, its end, its error. Its words stand in its parts, which have rows of their own. */
export function readMessage(into: Observation[], place: Place): void {
  const split = splitMessage(place.data)
  if (split === null) {
    readInfo(into, place)
    return
  }
  const info = placeWith(place, place.id, split.info)
  readInfo(into, { ...info, hasOwnUsage: true })
  for (const [n, part] of split.parts.entries()) readPart(into, placeWith(info, `${place.id}-${n}`, part))
}

function placeWith(place: Place, id: string, data: JsonRecord): Place {
  const model = textOf(data.modelID) ?? place.model
  const at = timesOf(data).start ?? place.at
  return { ...place, id, data, model, at, uuid: id === place.id ? place.uuid : uuidOfRow('part', id) }
}

function readInfo(into: Observation[], place: Place): void {
  const { data, role, subagentId, isCopied, at } = place
  if (isCopied) return
  if (role === 'user') {
    if (subagentId === null) into.push(activityOf(place, at, 'working', 'message'))
    return
  }
  if (role !== 'assistant') return
  readModel(into, place)
  if (place.hasOwnUsage) readUsage(into, { ...place, model: textOf(data.modelID) ?? null })
  const { end } = timesOf(data)
  const error = errorOf(data)
  if (error !== null)
    into.push(eventOf({ ...place, uuid: uuidOfRow('message', place.id, 'error'), at: end ?? at }, 'error', error))
  // A message that ends with calls is followed by another one.
  if (end === null || (data.finish === 'tool-calls' && error === null)) return
  if (subagentId === null) into.push(activityOf(place, end, 'idle', textOf(data.finish) ?? 'error'))
  else if (!place.isSummary)
    into.push({
      kind: 'subagent',
      ...{ uuid: sourceOf(place).uuid, subagentId },
      end: { status: error === null ? 'completed' : 'failed', at: end, evidence: 'rows:message' },
    })
}

function readModel(into: Observation[], { uuid, at, data, subagentId, isSummary }: Place): void {
  const model = textOf(data.modelID)
  if (model === undefined || isSummary) return
  if (subagentId === null) into.push({ kind: 'session', uuid, at, model: clip(model, 200) })
  else into.push({ kind: 'subagent', uuid, subagentId, model: clip(model, 200) })
}

/** `{name, data: {message}}`. */
function errorOf({ error }: JsonRecord): string | null {
  if (!isRecord(error)) return null
  const name = textOf(error.name) ?? 'error'
  const message = textOf(recordOf(error.data)?.message)
  return clip(message === undefined || message === '' ? name : `${name}: ${message}`, 20_000)
}
