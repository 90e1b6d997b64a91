import type { IssueId, IssueKey, SessionId, TodoId, TrackerKey } from './ids'
import type { Maybe } from './record-store'
import type { IssueChoice, IssueTrace } from './session-issue'
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

/**
 * The write port of what people and agents decide about to-dos and links, inside a unit of work. The to-dos themselves are a
 * projection of what agents wrote (`RecordTx.applyTodoChanges`); these rows stay through a rebuild, since they are keyed by ids that
 * a rebuild gives again.
 */
export interface TodoTx {
  /** As `TodoReads.find`. */
  find(id: TodoId): Maybe<Todo | undefined>
  ofSession(session: SessionId): Maybe<Todo[]>
  /** Whether the record has the session. */
  hasSession(session: SessionId): Maybe<boolean>

  /** What names issues in the session, without what is decided; see `issueTraces` in `store/session-issues.ts`. */
  traces(session: SessionId): Maybe<IssueTrace[]>
  choices(session: SessionId): Maybe<IssueChoice[]>
  /** Replaces what was decided before about these two. */
  putChoice(session: SessionId, issue: IssueKey, choice: { isLinked: boolean; by: string }): Maybe<void>

  /** The session's lists have ended, whatever its record says; changes after this moment begin them again. */
  putEnd(session: SessionId): Maybe<void>

  /** @throws `conflict` it was promoted before */
  promote(todo: TodoId, session: SessionId, issue: IssueKey): Maybe<void>
  /** Promotions whose to-do is completed and whose issue is not over, at most `limit`. */
  promotionsToClose(limit: number): Maybe<TodoPromotion[]>
  /** The item is now the work of `taker`; the last one counts. */
  putTaker(todo: TodoId, taker: SessionId): Maybe<void>

  /** Removes to-dos of sessions whose last event is older than `before`; at most `limit` sessions. @returns how many */
  dropOld(before: number, limit: number): Maybe<number>
}
