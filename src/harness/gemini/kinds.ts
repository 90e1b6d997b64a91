import { KEPT } from '../../domain/record/kept-text'
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

export const kindOf = (name: string): KindObservation => ({
  kind: 'kind',
  name: clip(name, KEPT.name) || '(none)',
  isKnown: KNOWN.has(name),
})
