import type { Cost } from '../cost/price'
import type { Usage } from '../cost/usage'
import type { AgentName, InboxId, IssueId, MessageId, SessionId, SubagentId, TaskId } from '../ids'
import type { ShownSessionStatus } from '../session/session'
import type { FailureClass, Question, ShownTaskStatus } from '../task/task'
import type { FinishedOutcome, NeedKind } from './need'

/** What an entry is about; each `null` where it is about none. */
interface About {
  project: string | null
  taskId: TaskId | null
  sessionId: SessionId | null
  issueId: IssueId | null
}

/** Something that waits for a person, as the API gives it. Times are ISO 8601. */
export interface Need extends About {
  /** Names this very occasion: when it happens again it is another. */
  id: string
  kind: NeedKind
  since: string
  title: string
  /** What is asked or went wrong, at most `NEED_TEXT` characters, in words of agents or strangers. */
  text: string
  isCut: boolean
  /** What says so. */
  evidence: string
  subagentId: SubagentId | null
  inboxId: InboxId | null
  messageId: MessageId | null
  /** Questions only. */
  question: Question | null
  failureClass: FailureClass | null
  /** What a person types in a terminal to take it up. */
  command: string | null
  canDismiss: boolean
  /** The same of needs that one decision fits: they ask for the same call, failed alike, were lost in one project … `null` = it is like no other. */
  cause: string | null
  /** When it needs somebody again; `null` = it does now. */
  snoozedUntil: string | null
}

/** Characters of a need's text. */
export const NEED_TEXT = 2_000

/** A task at work with its session, or a session that lives without a task. */
export interface Running extends About, Cost {
  kind: 'task' | 'session'
  title: string
  taskStatus: ShownTaskStatus | null
  sessionStatus: ShownSessionStatus | null
  statusEvidence: string
  agentName: string | null
  /** From its session; for a task, from its newest attempt. */
  agentCli: AgentName | null
  host: string | null
  model: string | null
  startedAt: string | null
  lastEventAt: string | null
  /** The newest running call, or the to-do in progress. */
  doing: string | null
  todos: { completed: number; total: number; current: string | null } | null
  runningAgents: number
  /** For a task, what its conversations used while it had them; else for the session. Sub-agents are included. */
  usage: Usage
}

/**
 * A task, session or background agent that is over. Its cost is by the recorded messages: a task's of all its conversations while it
 * had them, `null` also where none is recorded.
 */
export interface Finished extends About, Cost {
  kind: 'task' | 'session' | 'subagent'
  title: string
  subagentId: SubagentId | null
  outcome: FinishedOutcome
  agentCli: AgentName | null
  at: string
  startedAt: string | null
  /** The beginning of what it answered, or of why it failed. */
  text: string | null
}
