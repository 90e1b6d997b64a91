import type { KindObservation } from '../../domain/record/observation'
import { textOf } from '../json-lines/json-value'
import { clip } from '../json-lines/text'
import type { Place } from './place'

/** Types of parts. */
const PART_TYPES: ReadonlySet<string> = new Set([
  ...['text', 'reasoning', 'tool', 'file', 'step-start', 'step-finish', 'snapshot', 'patch', 'agent', 'retry'],
  ...['compaction', 'subtask'],
])
const ROLES: ReadonlySet<string> = new Set(['user', 'assistant'])

/** The kind of a line: its table, and after a slash the type of the part or the role of the message. */
export function kindOf(place: Place): KindObservation {
  const { table, isGone, data } = place
  if (isGone) return { kind: 'kind', name: `${clip(table, 100)}/gone`, isKnown: true }
  if (table === 'message') return named(`message/${place.role}`, ROLES.has(place.role))
  const type = textOf(data.type) ?? ''
  if (table === 'part') return named(`part/${type}`, PART_TYPES.has(type))
  return named(table, table === 'session' || table === 'todo')
}

const named = (name: string, isKnown: boolean): KindObservation => ({ kind: 'kind', name: clip(name, 100), isKnown })
