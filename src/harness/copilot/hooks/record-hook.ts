import type { HookParse } from '../../../domain/harness/harness'
import { idOf, isRecord, textOf } from '../../json-lines/json-value'
import { clip } from '../../json-lines/text'

/** One payload of a hook of Copilot CLI, for the record; `null` when it names no session or no event. The session's file says all else. */
export function recordHook(payload: unknown): HookParse | null {
  if (!isRecord(payload)) return null
  const sessionId = idOf(payload.session_id)
  const event = idOf(payload.hook_event_name)
  if (sessionId === undefined || event === undefined) return null
  return {
    sessionId,
    transcriptPath: textOf(payload.transcript_path) ?? null,
    observations: [{ kind: 'kind', name: clip(`hook/${event}`, 100), isKnown: KNOWN.has(event) }],
  }
}

/** Events of release 1.0.102, in the form whose payload names the event, and that of our own hook (`cli/hooks/origin-line.ts`). */
const KNOWN: ReadonlySet<string> = new Set(
  `SessionStart SessionEnd UserPromptSubmit Stop PreCompact PreToolUse PostToolUse PostToolUseFailure PermissionRequest
  SubagentStart SubagentStop ErrorOccurred Notification SessionOrigin`.split(/\s+/),
)
