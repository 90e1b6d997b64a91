import type { Client } from '../api/client'
import type { CallerKind } from '../api/contract/callers'
import type { AgentId, SessionId, TaskId, ToolUseId } from '../domain/ids'

/** The caller of tools. One for each request, or for each stdio process. */
export interface ToolHost {
  caller: CallerKind
  /** The task of the run that calls; `null` outside of runs. */
  taskId: TaskId | null
  /** The agent whose token it is; `null` = it is no agent's, or this process was not told. */
  agentId: AgentId | null
  /** The conversation that calls, where the process knows it. */
  sessionId: SessionId | null
  /** Where this process, or whoever sent the request, is. */
  place: { hostname: string; hostName: string; bootId: string; version: string }
  /** The agent that `join` made of the caller. A process remembers it; a request of HTTP stands alone. */
  joined: AgentId | null
  /**
   * Lends the way to the server for one call, with the caller's own token: what it may not do, a tool may not either. `folder` is
   * where the caller works, as the server's machine names it; `null` = it is not known, or another machine's.
   */
  withClient<T>(use: (client: Client, folder: string | null) => Promise<T>): Promise<T>
}

/** One call. */
export interface ToolCall {
  host: ToolHost
  client: Client
  /** As `withClient` gave it: where tasks run that name and inherit no folder. */
  folder: string | null
  /** The model's own id of the call, where the agent's CLI tells it. */
  toolUseId: ToolUseId | null
}
