import type { HookParse } from '../../../domain/harness/harness'
import { plainHook } from '../../json-lines/plain-hook'

/** One payload of a hook of Copilot CLI, for the record. */
export const recordHook = (payload: unknown): HookParse | null => plainHook(payload, KNOWN)

/** Events of release 1.0.102, in the form whose payload names the event, and that of our own hook (`cli/hooks/origin-line.ts`). */
const KNOWN: ReadonlySet<string> = new Set(
  `SessionStart SessionEnd UserPromptSubmit Stop PreCompact PreToolUse PostToolUse PostToolUseFailure PermissionRequest
  SubagentStart SubagentStop ErrorOccurred Notification SessionOrigin`.split(/\s+/),
)
