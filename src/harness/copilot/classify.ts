import type { JournalRef } from '../../domain/harness/harness'
import { uuidOf } from '../json-lines/json-value'

/**
 * Recognises the events of a session by their place. Sub-agents have no files of their own: their events stand between the others.
 *
 *     session-state/<session>/events.jsonl
 *     session-state/<session>.jsonl           releases before a session had a folder
 */
export function classify(path: string): JournalRef | null {
  const sessionId = uuidOf(PLACE.exec(path)?.[1])
  if (sessionId === undefined) return null
  return { agent: 'copilot', kind: 'transcript', path, sessionId, subagentId: null }
}

const PLACE = /(?:^|[/\\])session-state[/\\]([0-9a-f-]{36})(?:[/\\]events)?\.jsonl$/i
