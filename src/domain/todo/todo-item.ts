import type { IssueId, SessionId, SubagentId, TodoId } from '../ids'
import type { TodoStatus } from '../record/observation'

/** An agent, or its main thread (`subagentId` null), that did something to a to-do. */
export interface TodoChanger {
  sessionId: SessionId
  subagentId: SubagentId | null
}

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
  /** `completed` also where the issue that it was promoted to is over. */
  status: TodoStatus
  createdAt: string | null
  updatedAt: string | null
  completedAt: string | null
  /** What completed it: the agent's own word, or the end of its issue. `null` = it is not completed. */
  completedBy: 'agent' | 'issue' | null
  /** The agent that changed it last; `null` = unchanged since it was recorded, or unknown. */
  changedBy: TodoChanger | null
  /** It is open, and its list has ended: somebody said so after its last change, or its session is over. */
  leftOpen: boolean
  /** The issue that was made of it. */
  promotedTo: IssueId | null
  /** The session that took it over. */
  takenBy: SessionId | null
}

/** How far a list is; without removed items. */
export interface TodoProgress {
  completed: number
  inProgress: number
  total: number
}

/** What happened to an item. `from` and `to` are what changed, as text: a status, the words, a place. */
export interface TodoHistoryEntry {
  at: string | null
  /** `created`, `status`, `reworded`, `moved`, `removed`, `returned`, `owner`. */
  change: string
  from: string | null
  to: string | null
  by: TodoChanger
}
