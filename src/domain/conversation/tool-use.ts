import type { SessionId, SubagentId, ToolUseId } from '../ids'

/** One call of a tool. Times are ISO 8601; `null` = not seen. */
export interface ToolUse {
  id: ToolUseId
  sessionId: SessionId
  name: string | null
  /** The sub-agent that made it; `null` = the main thread. */
  subagentId: SubagentId | null
  calledAt: string | null
  endedAt: string | null
  isError: boolean | null
  /** The sub-agent or background task that it launched; `null` = none is known. */
  launched: SubagentId | null
  /** The agent that had ended and that it set to work again. */
  continued: SubagentId | null
}

/** Reads calls of tools. */
export interface ToolUseReads {
  /** By the CLI's id, over all sessions (at most 50): ids are unique within a session only. */
  find(id: ToolUseId): Promise<ToolUse[]>
}
