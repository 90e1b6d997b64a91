import type { EventId, SessionId, SubagentId } from '../ids'

/** One line of a sub-agent's conversation that says what it did or answered. */
export interface OutputLine {
  id: EventId
  type: 'text' | 'tool_call' | 'error'
  toolName: string | null
  text: string | null
  /** The journal holds more than `text`. */
  isCut: boolean
}

/** Reads for what background work has put out. */
export interface OutputReads {
  /** Ids that begin so, at most 20, newest first. */
  matchPrefix(prefix: string, session: SessionId | null): Promise<SubagentId[]>
  /** The newest lines, in order. @param onlyWords  the agent's words alone, no calls */
  lastLines(session: SessionId, subagent: SubagentId, limit: number, onlyWords: boolean): Promise<OutputLine[]>
}
