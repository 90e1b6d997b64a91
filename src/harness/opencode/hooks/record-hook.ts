import type { HookParse } from '../../../domain/harness/harness'
import { idOf, isRecord } from '../../json-lines/json-value'
import { clip } from '../../json-lines/text'

/** One payload of our plugin's, for the record; `null` when it names no session or no event. The rows say all else. */
export function recordHook(payload: unknown): HookParse | null {
  if (!isRecord(payload)) return null
  const sessionId = idOf(payload.session_id)
  const event = idOf(payload.hook_event_name)
  if (sessionId === undefined || event === undefined) return null
  const isKnown = event === 'SessionStart' || event === 'UserPromptSubmit' || event === 'SessionOrigin'
  return {
    sessionId,
    transcriptPath: null,
    observations: [{ kind: 'kind', name: clip(`hook/${event}`, 100), isKnown }],
  }
}
