import type { KindObservation } from '../../domain/record/observation'
import { clip } from '../json-lines/text'

const KNOWN: ReadonlySet<string> = new Set([
  'header/main',
  'header/subagent',
  'set',
  'patch',
  'rewind',
  'message/user',
  'message/gemini',
  'message/info',
  'message/warning',
  'message/error',
])

/** Characters of a kind's name that are kept: hostile lines may hold anything there. */
const NAME_LIMIT = 100

export const kindOf = (name: string): KindObservation => ({
  kind: 'kind',
  name: clip(name, NAME_LIMIT) || '(none)',
  isKnown: KNOWN.has(name),
})
