import type { IssueKey, SessionId } from '../ids'
import type { Awaitable } from '../port'

/** Up to which change of an issue's history sessions were notified, for all servers of the database. */
export interface NotifiedReads {
  /** `null` = never. */
  upTo(session: SessionId, issue: IssueKey): Promise<number | null>
}

export interface NotifiedTx {
  /** @returns whether it goes further than before: of several callers with the same number, one does */
  take(session: SessionId, issue: IssueKey, upTo: number): Awaitable<boolean>
  /** Removes the marks of the session. */
  forget(session: SessionId): Awaitable<void>
  /** Removes marks that were set before that time, in milliseconds. */
  dropBefore(time: number): Awaitable<void>
}
