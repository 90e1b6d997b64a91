import type { FeedSeq, SessionId } from './ids'

/** What can happen, as the feed tells it. A kind is `<noun>.<what happened>`; a reader skips kinds that it doesn't know. */
export const FEED_KINDS = [
  'session.created',
  'session.updated', // status, title, model, counts or usage changed
  'session.forgotten',
  'events.recorded', // `data.count` new events up to `data.lastEventId`
  'subagent.updated',
  'todo.updated',
  'task.created',
  'task.moved', // `data` has `from`, `to`, `reason`, `by`
  'task.updated', // progress, fields, offers, inputs
  'attempt.updated', // opened, conversation known, ended
  'agent.updated',
  'token.updated', // `data` has `tokenId`, `what` (created, enrolled, revoked), `by`
  'user.updated', // `data` has `user`, `what` (added, edited, removed), `by`
  'question.updated', // asked, answered or expired
  'message.updated', // `data` has `messageId`, `to`, `status`, `kind`, `taskId`
  'inbox.updated', // `data` has `inboxId`, `source`, `status`, `what`, `by`
  'address.updated', // `data` has `address`, `what` (registered, changed, attached, detached, alias)
  'issue.created',
  'issue.updated', // `data` has `issueId`, `what` (fields, closed, claimed, claim_lapsed, comment, …), `by`
  'issue.deleted',
  'issues.imported', // from the file or another one: `data` has `created`, `updated`, `path`
  'budget.updated', // `data` has `budget`, `what` (saved, removed, counted), `state`
  'need.dismissed', // `data` has `needId`, `by`
  'need.snoozed', // `data` has `needId`, `by`, `until`
  'view.updated', // a saved view was saved or removed; `data` has `list`
  'journal.rewritten', // an incarnation was closed and a new one begun
] as const
export type FeedKind = (typeof FEED_KINDS)[number]

/** One change. Commits together with the rows that it reports. */
export interface FeedEntry {
  seq: FeedSeq
  at: string
  kind: FeedKind
  sessionId: SessionId | null
  /** Small, JSON values only; the reader fetches what it wants to show. Entries of tasks and attempts name them as `taskId` and `attemptId`. */
  data: Record<string, unknown>
}

export interface FeedReads {
  /** Entries after `cursor`, oldest first, at most `limit`. */
  after(cursor: FeedSeq, limit: number): Promise<FeedEntry[]>
  /** The newest cursor; 0 when the feed is empty. */
  head(): Promise<FeedSeq>
  /** The oldest entry that is kept; 0 = there is none. */
  first(): Promise<FeedSeq>
  /** Calls `wake` soon after something was committed by this or another process. Returns the unsubscribe function. */
  onChange(wake: () => void): () => void
}
