import type { HookParse } from '../../domain/harness/harness'
import { idOf, isRecord, textOf } from './json-value'
import { clip } from './text'

/**
 * One payload of a hook of a CLI whose own files say all else, for the record; `null` when it names no session or no event.
 *
 * @param known  the events of its releases
 */
export function plainHook(payload: unknown, known: ReadonlySet<string>): HookParse | null {
  if (!isRecord(payload)) return null
  const sessionId = idOf(payload.session_id)
  const event = idOf(payload.hook_event_name)
  if (sessionId === undefined || event === undefined) return null
  return {
    sessionId,
    transcriptPath: textOf(payload.transcript_path) ?? null,
    observations: [{ kind: 'kind', name: clip(`hook/${event}`, 100), isKnown: known.has(event) }],
  }
}
