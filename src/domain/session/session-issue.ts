import type { AgentId, AgentName, IssueId, SessionId, TrackerKey } from '../ids'
import type { Todo, TodoProgress } from '../todo/todo-item'
import type { SessionStatus } from './session'

/**
 * What may say that a session works on an issue, strongest first.
 *
 * - `person`       somebody linked it
 * - `claim`        it holds the claim
 * - `task`         it is the conversation of a task that serves the issue
 * - `environment`  `LODELINE_ISSUE` where its hooks ran
 * - `prompt`       a prompt of the person names the issue, and no other
 * - `branch`       the git branch names it, and no other
 */
export const ISSUE_LINK_SOURCES = ['person', 'claim', 'task', 'environment', 'prompt', 'branch'] as const
export type IssueLinkSource = (typeof ISSUE_LINK_SOURCES)[number]

/** One thing that names an issue in a session. Times in milliseconds. */
export interface IssueTrace {
  tracker: TrackerKey
  issueId: IssueId
  source: IssueLinkSource
  /** Traces of one source and place were said at once: a prompt's uuid, a branch's name, a task's id. */
  place: string
  at: number
}

/** What a person or agent decided about a session and an issue: the last word, until the next. */
export interface IssueChoice {
  tracker: TrackerKey
  issueId: IssueId
  isLinked: boolean
  at: number
  /** As histories show it. */
  by: string
}

/** A session's link to an issue, with what makes us say so, strongest first. */
export interface SessionIssue {
  tracker: TrackerKey
  issueId: IssueId
  evidence: { source: IssueLinkSource; place: string; at: number }[]
}

/** A session that is linked to an issue. Times are ISO 8601. */
export interface IssueSession {
  sessionId: SessionId
  status: SessionStatus
  statusEvidence: string
  title: string | null
  agentId: AgentId | null
  evidence: SessionIssue['evidence']
  startedAt: string | null
  lastEventAt: string | null
}

/** An issue that a session is linked to, as it is shown: with what makes us say so. Times are ISO 8601. */
export interface LinkedIssue {
  id: IssueId
  title: string
  status: string
  evidence: ShownEvidence[]
}

/** `place` as in `IssueTrace`. */
export interface ShownEvidence {
  source: IssueLinkSource
  place: string
  at: string
}

/** The to-dos of one session with the work that they are for. Times are ISO 8601. */
export interface SessionTodos {
  sessionId: SessionId
  title: string | null
  agent: AgentName | null
  /** `null` = the session was never recorded. */
  status: SessionStatus | null
  statusEvidence: string | null
  /** The current one first. */
  issues: LinkedIssue[]
  /** The one issue that a session without a link has shown. */
  suggestion: { id: IssueId; title: string } | null
  startedAt: string | null
  lastEventAt: string | null
  /** When an item last changed. */
  lastSyncAt: string | null
  /** When the lists ended: when somebody said so, or the session. `null` = they go on. */
  endedAt: string | null
  /** Items beyond the limit, which are not kept. */
  leftOutCount: number
  progress: TodoProgress
  todos: Todo[]
}
