import type { IssueId, IssueKey, SessionId, SubagentId, TaskId } from '../ids'
import type { Awaitable } from '../port'
import type { Subagent } from '../session/session'
import type { IssueLinkSource, SessionIssue } from '../session/session-issue'
import type { TaskStatus } from '../task/task'
import type { Todo } from '../todo/todo-item'

/** The moments of a reminder (docs/architecture/recall.md). The first five are SessionStart's `source`, the last is PreCompact. */
export const RECALL_MOMENTS = ['startup', 'resume', 'fork', 'clear', 'compact', 'precompact'] as const
export type RecallMoment = (typeof RECALL_MOMENTS)[number]

/** A session gets the news of its issue with each prompt too, and nothing else then. */
export const SESSION_MOMENTS = [...RECALL_MOMENTS, 'prompt'] as const
export type SessionMoment = (typeof SESSION_MOMENTS)[number]

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

/** What decides beside the record which issue a session works on. */
export interface IssueLinkOptions {
  /** What links sessions to issues; default all. */
  linkFrom?: readonly IssueLinkSource[]
  /** Words of the folder's git branch that may be issues' ids, where the record may not know the branch yet. */
  branchWords?: readonly string[]
}

/** The issue that a session works on. */
export interface CurrentIssue extends RecalledIssue {
  key: IssueKey
  /** What makes us say so, strongest first; empty = it was asked for by its id. */
  evidence: SessionIssue['evidence']
}

export interface RecalledTodo extends Pick<Todo, 'content' | 'status'> {
  /** The issue that was made of it. Where that is over, the status is `completed` whatever the agent's own list says. */
  promotedTo?: IssueId | null
  /** `issue`: by the end of that issue, and the agent's own list does not say so. */
  completedBy?: Todo['completedBy']
  /** The session that left it, where this one took it over. */
  takenFrom?: SessionId
  /** The session that took it over from this one. */
  takenBy?: SessionId | null
}

/** What became of a sub-agent, shell or monitor. `unread`: it ended well, and its parent has not consumed what it answered. */
export type RecalledWorkState = 'running' | 'unread' | 'failed' | 'killed' | 'ended' | 'lost'

export interface RecalledWork extends Pick<Subagent, 'id' | 'kind' | 'type' | 'description' | 'outputFile'> {
  /** Without: it runs. */
  state?: RecalledWorkState
  /** What says so, in the words of `session show`. */
  statusEvidence?: string
  /** What it was asked, its beginning; `null` = unknown. */
  prompt?: string | null
  /** ISO 8601; `null` = unknown. */
  startedAt?: string | null
}

/** A session that works or worked on the same issue. Times are ISO 8601. */
export interface Fellow {
  sessionId: SessionId
  title: string | null
  lastEventAt: string | null
  /** Open, and not taken over by another; at most 50. */
  todos: RecalledTodo[]
  /** How many there are of them. */
  todoTotal: number
}

/** An earlier session with what it left. */
export interface Leaver extends Fellow {
  /** Results that nobody read, and what failed or was lost. */
  work: RecalledWork[]
}

/** Others that worked or work on an issue, newest first. */
export interface Company {
  /** Sessions that are over and left something. */
  earlier: Leaver[]
  /** Sessions that live. */
  live: Fellow[]
}

/** A change of an issue as its history has it. */
export interface RecalledChange {
  /** ISO 8601. */
  at: string
  by: string
  /** As in `IssueHistoryRow`. */
  event: string
  /** The changed fields; `null` = none, or too long to be looked at. */
  old: Record<string, unknown> | null
  new: Record<string, unknown> | null
}

/** Changes of an issue that a session hears of. */
export interface RecalledChanges {
  /** Newest first. */
  changes: RecalledChange[]
  total: number
  /** Changes before this number of the history are known to the session; later ones are news. */
  upTo: number
}

/** What the record holds of a sub-agent, for the text that gives it its own task back. */
export interface SubagentFacts {
  /** `null` = unknown. */
  type: string | null
  /** What it was asked; `null` = unknown. */
  prompt: string | null
  /** To-dos of its own list. */
  todos: RecalledTodo[]
}

/** What the record holds of a session, for the text that gives an agent its state back. Times are ISO 8601. */
export interface SessionFacts {
  sessionId: SessionId
  /** The project's folder; `null` while unknown. */
  project: string | null
  gitBranch: string | null
  /** When its last recorded line was written. */
  lastEventAt: string | null
  /** Those of the main thread. */
  prompts: {
    first: RecalledPrompt | null
    /** At most three, oldest first; none from before the last 3,000 events. */
    last: RecalledPrompt[]
    /** There are no others than `last`. */
    areAll: boolean
  }
  /** To-dos of the main thread, or of a list that it shares with its sub-agents, then those that it took over; without removed ones. */
  todos: RecalledTodo[]
  /** Sub-agents, shells and monitors that run in the background by the record, or whose end its agent has not taken in: newest first. */
  background: RecalledWork[]
  /** The session that it continues under another id, as the agent's CLI wrote it. */
  resumedFrom: SessionId | null
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
  /** A sub-agent of the session; `undefined` = not recorded. */
  subagent(session: SessionId, id: SubagentId): Promise<SubagentFacts | undefined>
  /** The issue that the session works on, by its links; `named` is what its environment says. */
  issue(
    folder: string,
    session: SessionId | null,
    named: IssueId | null,
    options?: IssueLinkOptions,
  ): Promise<CurrentIssue | undefined>
  /**
   * Others that work on it, without `own`: the session that asks, and those whose work it has already.
   *
   * @param linkFrom  what links sessions to issues; default all
   */
  company(issue: IssueKey, own: readonly SessionId[], linkFrom?: readonly IssueLinkSource[]): Promise<Company>
  /**
   * What a session left that is over, and that another goes on with; `undefined` = nothing, or it lives.
   *
   * @param own  as for `company`: to-dos of lists that these share are theirs already
   */
  left(session: SessionId, own?: readonly SessionId[]): Promise<Leaver | undefined>
  /**
   * Changes that none of `own` made, with a number above `after`, and not before `since` (milliseconds); at most `limit`.
   *
   * @param after  the last change that was reported; 0 = none
   */
  changes(
    issue: IssueKey,
    own: readonly SessionId[],
    after: number,
    since: number,
    limit: number,
  ): Promise<RecalledChanges>
  /** Issues of the folder's file that could be begun now, most important first. */
  ready(folder: string, limit: number): Promise<{ issues: RecalledIssue[]; total: number }>
}

/** What one session left for the next. Written once, given once; kept after that. */
export interface Handoff {
  /** `h-` and 8 of `0-9a-z`. */
  id: string
  /** ISO 8601. */
  at: string
  /** The author; `null` = a person, outside of any session. */
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

/** Hand-overs as a server keeps them. */
export interface HandoffBox extends Handoffs {
  /** @throws `storage_readonly` */
  write(handoff: Omit<Handoff, 'id' | 'givenTo' | 'givenAt'>): Awaitable<Handoff>
  /** Newest first. */
  list(limit: number): Awaitable<Handoff[]>
}

/** Hand-overs: files of this machine, or in a database that servers share. Claims are atomic: of two sessions that start at once one gets it. */
export interface Handoffs {
  /** The newest that nobody got yet and that is for this issue or folder; never the session's own. */
  offered(reader: {
    sessionId: SessionId | null
    folder: string
    issueId: IssueId | null
  }): Awaitable<Handoff | undefined>
  /** @returns whether this call gave it to `session`. */
  take(id: string, session: SessionId): Awaitable<boolean>
}

/** Up to which change sessions were notified: in files of this machine, or in a database that servers share. */
export interface NotifiedChanges {
  /** The number in the issue's history up to which the session was notified; `null` = never. */
  upTo(session: SessionId, issue: IssueKey): Awaitable<number | null>
  /** @returns whether this caller is the one that notifies: of several at once, one is */
  take(session: SessionId, issue: IssueKey, upTo: number): Awaitable<boolean>
}
