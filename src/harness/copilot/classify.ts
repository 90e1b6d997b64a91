import type { JournalRef } from '../../domain/harness/harness'
import { uuidOf } from '../json-lines/json-value'

/**
 * Recognises the events of a session by their place. Sub-agents have no files of their own: their events stand between the others.
 *
 *     session-state/<session>/events.jsonl
 *     session-state/<session>.jsonl           releases before a session had a folder
 *     history-session-state/session_<session>_<time>.json     releases of 2025, see `history/read-history.ts`
 */
export function classify(path: string): JournalRef | null {
  const sessionId = uuidOf((PLACE.exec(path) ?? HISTORY.exec(path))?.[1])
  if (sessionId === undefined) return null
  return { agent: 'copilot', kind: 'transcript', path, sessionId, subagentId: null }
}

const PLACE = /(?:^|[/\\])session-state[/\\]([0-9a-f-]{36})(?:[/\\]events)?\.jsonl$/i
const HISTORY = /(?:^|[/\\])history-session-state[/\\](?:session_)?([0-9a-f-]{36})(?:_[^/\\]{1,40})?\.json$/i
