import type { IssueId, SessionId, TaskId } from './ids'
import type { Subagent } from './session'
import type { TaskStatus } from './task'
import type { Todo } from './todo-item'

/** When an agent is told its state (design §7). The first five are SessionStart's `source`, the last is PreCompact. */
export const RECALL_MOMENTS = ['startup', 'resume', 'fork', 'clear', 'compact', 'precompact'] as const
export type RecallMoment = (typeof RECALL_MOMENTS)[number]

/** A prompt as the record keeps it: at most 2,000 characters. */
export interface RecalledPrompt {
  text: string
  isCut: boolean
}

/** The task that a session's conversation belongs to; only one that has not ended. */
export interface RecalledTask {
  id: TaskId
  title: string
  text: string
  status: string
  progress: string | null
  /** ISO 8601. */
  progressAt: string | null
  issueId: IssueId | null
}

export interface RecalledIssue {
  id: IssueId
  type: string
  title: string
  status: string
  /** 0 (highest) to 4. */
  priority: number
}

export type RecalledTodo = Pick<Todo, 'content' | 'status'>
export type RecalledWork = Pick<Subagent, 'id' | 'kind' | 'type' | 'description' | 'outputFile'>

/** What the record holds of a session, for the text that gives an agent its state back. Times are ISO 8601. */
export interface SessionFacts {
  sessionId: SessionId
  /** The project's folder; `null` while unknown. */
  project: string | null
  gitBranch: string | null
  /** When its last recorded line was written. */
  lastEventAt: string | null
  /** Of the main thread. */
  prompts: {
    first: RecalledPrompt | null
    /** At most three, oldest first; none from before the last 3,000 events. */
    last: RecalledPrompt[]
    /** There are no others than `last`. */
    areAll: boolean
  }
  /** Of the main thread, or of a list that it shares with its sub-agents; without removed ones. */
  todos: RecalledTodo[]
  /** Sub-agents, shells and monitors that run in the background by the record. */
  background: RecalledWork[]
  /** What the agent said last, at most 2,000 characters. */
  lastAnswer: string | null
  task: RecalledTask | null
  /** Tasks that it created and that are not finished. */
  sentTasks: { id: TaskId; title: string; status: TaskStatus }[]
}

/** What the record says of sessions, in a few indexed look-ups: for hooks, which an agent waits for. */
export interface RecallReads {
  /** `undefined` = not recorded. */
  session(id: SessionId): Promise<SessionFacts | undefined>
  /** The issue that the session works on, as far as it is linked or its task names one; `named` is what its environment says. */
  issue(folder: string, session: SessionId | null, named: IssueId | null): Promise<RecalledIssue | undefined>
  /** Issues of the folder's file that could be begun now, most important first. */
  ready(folder: string, limit: number): Promise<{ issues: RecalledIssue[]; total: number }>
}

/** What one session left for the next. Written once, given once; kept after that. */
export interface Handoff {
  /** `h-` and 8 of `0-9a-z`. */
  id: string
  /** ISO 8601. */
  at: string
  /** Who wrote it; `null` = a person, outside of any session. */
  sessionId: SessionId | null
  /** The folder of the project that it is for. */
  folder: string
  /** Given to a session on this issue alone; `null` = to the next one in the folder. */
  issueId: IssueId | null
  goal: string
  state: string
  evidence: string
  next: string
  /** What its writer added, in their own words. */
  note: string
  /** The session that got it; `null` = nobody yet. */
  givenTo: SessionId | null
  /** ISO 8601. */
  givenAt: string | null
}

/** Hand-overs of this machine, as a server keeps them. */
export interface HandoffBox extends Handoffs {
  /** @throws `storage_readonly` */
  write(handoff: Omit<Handoff, 'id' | 'givenTo' | 'givenAt'>): Handoff
  /** Newest first. */
  list(limit: number): Handoff[]
}

/** Hand-overs of this machine. Claims are atomic: of two sessions that start at once one gets it. */
export interface Handoffs {
  /** The newest that nobody got yet and that is for this issue or folder; never the session's own. */
  offered(reader: { sessionId: SessionId | null; folder: string; issueId: IssueId | null }): Handoff | undefined
  /** @returns whether this call gave it to `session`. */
  take(id: string, session: SessionId): boolean
}
