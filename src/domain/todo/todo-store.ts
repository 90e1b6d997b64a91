import type { AgentName, IssueId, IssueKey, SessionId, SessionKey, TodoId, TrackerKey } from '../ids'
import type { Awaitable, Page, PageRequest } from '../port'
import type { IssueChoice, IssueLinkSource, IssueTrace, SessionIssue, SessionTodos } from '../session/session-issue'
import type { Todo } from './todo-item'

/** A to-do that became an issue. The two follow each other: what completes one completes the other. */
export interface TodoPromotion {
  todoId: TodoId
  sessionId: SessionId
  issueKey: IssueKey
  tracker: TrackerKey
  issueId: IssueId
  /** Milliseconds. */
  at: number
}

/** What a read of to-dos needs to know beside the database. */
export interface TodoView {
  /** Milliseconds: whether a session goes on is worked out for this time. */
  now: number
  /** What links a session to an issue by itself. */
  linkFrom: readonly IssueLinkSource[]
}

export interface TodoListFilter {
  /** Only these; of those without a list nothing comes. */
  sessions?: readonly SessionId[]
  /** Only sessions of the project in this folder. */
  project?: string
  /** Only sessions of this agent CLI. */
  agent?: AgentName
  /** Only sessions that are not over (true), or that are (false). */
  isActive?: boolean
  withRemoved?: boolean
}

export interface TodoReads {
  /** By session, list and place in the list. A session's lists include those that it shares with others. */
  list(filter: { sessionId?: SessionId; includeRemoved?: boolean }): Promise<Todo[]>
  find(id: TodoId): Promise<Todo | undefined>
  /** Ids that begin so, at most 20. @param prefix  at least 6 characters */
  match(prefix: string): Promise<TodoId[]>
  /** As stored: JSON of `TodoChangeEntry`, oldest first; `undefined` = no such to-do. */
  history(id: TodoId): Promise<string | undefined>
  /** The same of several; ids that are not known are left out. */
  histories(ids: readonly TodoId[]): Promise<Map<TodoId, string>>
  /** To-dos by session, the newest change first. */
  lists(filter: TodoListFilter, page: PageRequest, view: TodoView): Promise<Page<SessionTodos>>
  /** One session's, recorded or not. */
  ofSession(session: SessionId, view: TodoView, withRemoved?: boolean): Promise<SessionTodos>
  /** As `TodoTx.promotionsToClose`. */
  promotionsToClose(limit: number): Promise<TodoPromotion[]>
}

/** A session that is linked to an issue. */
export interface LinkedSession {
  sessionId: SessionId
  evidence: SessionIssue['evidence']
}

/** Reads what links sessions and issues, worked out of what the record and the tracker hold. */
export interface LinkReads {
  /** The current issue first. */
  ofSession(session: SessionId, linkFrom: readonly IssueLinkSource[]): Promise<SessionIssue[]>
  /** The newest sessions first, at most 200. */
  ofIssue(
    tracker: TrackerKey,
    issue: IssueId,
    linkFrom: readonly IssueLinkSource[],
  ): Promise<{ sessions: LinkedSession[]; isTruncated: boolean }>
}

/**
 * The write port of what people and agents decide about to-dos and links, inside a unit of work. The to-dos themselves are a
 * projection of what agents wrote (`RecordTx.applyTodoChanges`); these rows stay through a rebuild, since they are keyed by ids that
 * a rebuild gives again.
 */
export interface TodoTx {
  /** As `TodoReads.find`. */
  find(id: TodoId): Awaitable<Todo | undefined>
  ofSession(session: SessionId): Awaitable<Todo[]>
  /** `undefined` = the record does not have it. */
  sessionKey(session: SessionId): Awaitable<SessionKey | undefined>

  /** What names issues in the session, without what is decided; see `linksOf` in `store/session/reads/session-issues.ts`. */
  traces(session: SessionId): Awaitable<IssueTrace[]>
  choices(session: SessionId): Awaitable<IssueChoice[]>
  /** Replaces what was decided before about these two. `at`: milliseconds, default the unit's time. */
  putChoice(
    session: SessionId,
    issue: IssueKey,
    choice: { isLinked: boolean; by: string; at?: number },
  ): Awaitable<void>
  /** The session looked at the issue. */
  putView(session: SessionId, issue: IssueKey): Awaitable<void>

  /** The session's lists have ended, whatever its record says; changes after this moment begin them again. */
  putEnd(session: SessionId): Awaitable<void>

  /** @throws `conflict` it was promoted before */
  promote(todo: TodoId, session: SessionId, issue: IssueKey): Awaitable<void>
  /** What it was promoted to. */
  promotion(todo: TodoId): Awaitable<TodoPromotion | undefined>
  /** Promotions whose to-do the agent completed and whose issue was not closed for it yet, at most `limit`. */
  promotionsToClose(limit: number): Awaitable<TodoPromotion[]>
  /** That the to-do is completed was acted on: it is not done again, also when somebody opens the issue again. */
  settle(todo: TodoId): Awaitable<void>
  /** The item is now the work of `taker`; the last one counts. */
  putTaker(todo: TodoId, taker: SessionId): Awaitable<void>

  /** Removes to-dos of sessions whose last event is older than `before`; at most `limit` sessions. @returns how many */
  dropOld(before: number, limit: number): Awaitable<number>
}
