import type { SessionId, SubagentId, TodoId } from './ids'
import type { TodoStatus } from './observation'

/** One item of an agent's own to-do list. `removed` items vanished from the list and are kept. Times are ISO 8601 in UTC. */
export interface Todo {
  id: TodoId
  listId: string
  sessionId: SessionId
  /** The sub-agent whose list it is, or that created it; `null` = the main thread. */
  subagentId: SubagentId | null
  /** The number that the agent's own tool gave it; `null` for TodoWrite. */
  nativeId: string | null
  ordinal: number
  content: string
  activeForm: string | null
  description: string | null
  owner: string | null
  /** Native ids. */
  blockedBy: string[]
  status: TodoStatus
  createdAt: string | null
  updatedAt: string | null
  completedAt: string | null
}
