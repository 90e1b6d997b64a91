import type { IssueId, SessionId, TodoId, TrackerKey } from '../../domain/ids'
import type { Caller } from '../../domain/worker-protocol'
import type { IssueScope } from '../issues/issue-service'

/**
 * Every use case that decides something about to-dos and about which issue a session works on. What agents write in their own lists
 * comes by the record and is none of these. Each method is one unit of work; arguments and answers are JSON values.
 *
 * Who may: operators and agents everything; a run its own session alone.
 *
 * Errors all methods may throw: `not_found` (with the nearest ids), `conflict`, `invalid`, `forbidden`, `unavailable`.
 */
export interface TodoService {
  /** Links a session to an issue. Linking again changes nothing. @throws `not_found` no such issue; a session that was never recorded may be linked */
  link(caller: Caller, scope: IssueScope, session: SessionId, issue: string): Promise<Linked>
  /** Unlinks from one issue, or (`null`) from all that it is linked to; what names an issue later links it again. */
  unlink(caller: Caller, scope: IssueScope, session: SessionId, issue: string | null): Promise<{ issueIds: IssueId[] }>
  /** Notes that a session looked at an issue. */
  saw(caller: Caller, scope: IssueScope, session: SessionId, issue: string): Promise<{ issueId: IssueId }>
  /** Ends the session's lists: open items are left open. @returns how many */
  finalize(caller: Caller, session: SessionId): Promise<{ leftOpen: number; completed: number }>
  /**
   * Makes a child issue of a to-do, below the issue that its session is linked to (or `parent`; without either, an issue of its own).
   * A to-do that was promoted before answers with that issue.
   *
   * @throws `conflict` it is completed: nothing is left to do
   */
  promote(caller: Caller, scope: IssueScope, todo: TodoId, input: { parent?: string | undefined }): Promise<Promoted>
  /** Gives items that another session left to this one. @throws `conflict` they are somebody's work, or done; nothing is taken then */
  take(caller: Caller, session: SessionId, todos: TodoId[]): Promise<{ taken: TodoId[] }>
  /** Closes promoted issues whose to-do is completed. Called before issues are read and every now and then by a server. */
  settle(): Promise<{ closed: IssueId[] }>
  /** Removes to-dos of sessions that are older than `days`. */
  dropOld(days: number): Promise<{ sessions: number }>
}

export interface Linked {
  tracker: TrackerKey
  issueId: IssueId
  /** It was not linked before. */
  isNew: boolean
  notices: string[]
}

export interface Promoted {
  tracker: TrackerKey
  issueId: IssueId
  parentId: IssueId | null
  isNew: boolean
  notices: string[]
}
