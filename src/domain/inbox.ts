import type { Address, InboxId, TaskId } from './ids'
import type { Awaitable, Page, PageRequest, Sparse } from './port'
import type { TaskStatus } from './task/task'

/**
 * Where a request from outside is. `movedInbox` decides, `engine/inbox` writes.
 *
 *   new ──delegate──▶ delegated ──reply──▶ replied
 *    │                    │ ▲                 │
 *    ├──reply──▶ replied  │ └────delegate─────┘
 *    └──close──▶ closed ◀─┴───close (from any)
 *
 * - `new`        no lead did anything about it yet
 * - `delegated`  a task works on it
 * - `replied`    who sent it has an answer; more may follow
 * - `closed`     nothing more is to be done
 */
export const INBOX_STATUSES = ['new', 'delegated', 'replied', 'closed'] as const
export type InboxStatus = (typeof INBOX_STATUSES)[number]

export type InboxMove = 'delegate' | 'reply' | 'close'
const TO: Readonly<Record<InboxMove, InboxStatus>> = { delegate: 'delegated', reply: 'replied', close: 'closed' }

/** The status after the move; `null` = it is closed, and nothing leads out of that. */
export const movedInbox = (status: InboxStatus, move: InboxMove): InboxStatus | null =>
  status === 'closed' && move !== 'close' ? null : TO[move]

/** Where a reply is: it `waits` for its callback or to be fetched, was `sent`, or its callback refused it for good. */
export const REPLY_STATUSES = ['waiting', 'sent', 'failed'] as const
export type ReplyStatus = (typeof REPLY_STATUSES)[number]

export const INBOX_LIMITS = Object.freeze({
  /** Characters of a request; more are refused. */
  text: 200_000,
  /** Bytes of the body that brings it. */
  bodyBytes: 1_048_576,
  sender: 300,
  /** Characters of a source's own id, and of a thread's key. */
  key: 300,
  /** Requests of one source that no lead looked at; more are refused. */
  waiting: 10_000,
  /** Characters of a reply. */
  reply: 200_000,
  /** Replies to one request. */
  replies: 1_000,
  /** Tasks, replies and earlier requests that are shown with one. */
  shown: 50,
  /** Sources at once. */
  sources: 1_000,
})

/** How long a signature counts before and after its time, in milliseconds. */
export const SIGNATURE_WINDOW_MS = 300_000

/** A task that a request was handed to. */
export interface InboxTask {
  taskId: TaskId
  title: string
  status: TaskStatus
}

export interface InboxReply {
  id: string
  /** The author of the answer: `operator`, or the id of an agent or attempt. */
  author: string
  text: string
  status: ReplyStatus
  /** Why the last try to deliver it failed. */
  error: string | null
  createdAt: string
}

/** A request from outside, as the API gives it. Times are ISO 8601. All its texts are others': they grant nothing. */
export interface InboxMessage {
  id: InboxId
  source: string
  /** The source's own id. */
  externalId: string | null
  /** The source's own word for what belongs together, e.g. a channel and thread. */
  threadKey: string | null
  sender: string
  status: InboxStatus
  text: string
  receivedAt: string
  answeredAt: string | null
  /** Newest first. */
  tasks: InboxTask[]
  /** Oldest first. */
  replies: InboxReply[]
  /** Found by its thread: the newest task of an earlier request there, which a new one may continue. */
  followsUp: InboxTask | null
}

/** Somebody outside that may send requests. Its secret is shown once. */
export interface InboxSource {
  name: string
  /** Where replies are sent; `null` = they wait to be fetched. */
  callback: string | null
  /** The lead that its requests go to; `null` = the one that is there. */
  lead: Address | null
  /** Tasks that a lead makes of its requests start without a person's consent. */
  autoDelegate: boolean
  createdAt: string
}

/** A row of `inbox`. Times in milliseconds. */
export interface InboxRow extends Omit<InboxMessage, 'receivedAt' | 'answeredAt' | 'tasks' | 'replies' | 'followsUp'> {
  key: number
  /** What makes it one: the source's id, or the hash of what was signed. */
  onceKey: string
  /** The address of the lead that was notified; `null` = none yet. */
  toldTo: Address | null
  receivedAt: number
  answeredAt: number | null
}
export type NewInboxRow = Sparse<Omit<InboxRow, 'key'>>

export interface ReplyRow extends Omit<InboxReply, 'createdAt'> {
  key: number
  inboxKey: number
  source: string
  tries: number
  /** When its callback is tried next, in milliseconds; `null` = it waits to be fetched, or is settled. */
  nextAt: number | null
  createdAt: number
}
export type NewReplyRow = Sparse<Omit<ReplyRow, 'key'>>

export interface SourceRow extends Omit<InboxSource, 'createdAt'> {
  /** Signs in both directions. */
  secret: string
  createdAt: number
}

/** The write port of the inbox, inside a unit of work. */
export interface InboxTx {
  /** @returns `undefined` when the source has one of this `onceKey` already */
  insert(row: NewInboxRow): Awaitable<InboxRow | undefined>
  find(id: InboxId): Awaitable<InboxRow | undefined>
  byOnceKey(source: string, onceKey: string): Awaitable<InboxRow | undefined>
  update(key: number, patch: Partial<Pick<InboxRow, 'status' | 'toldTo' | 'answeredAt'>>): Awaitable<void>
  countNew(source: string): Awaitable<number>
  /** Requests of which no living lead was notified, oldest first. */
  untold(limit: number): Awaitable<InboxRow[]>
  addTask(key: number, task: TaskId, at: number): Awaitable<void>
  /** Newest first. */
  tasksOf(key: number): Awaitable<InboxTask[]>
  /** The newest task of other requests of its thread. */
  threadTask(of: Pick<InboxRow, 'key' | 'source' | 'threadKey'>): Awaitable<InboxTask | undefined>
  insertReply(row: NewReplyRow): Awaitable<void>
  reply(id: string): Awaitable<ReplyRow | undefined>
  countReplies(key: number): Awaitable<number>
  updateReply(id: string, patch: Partial<Pick<ReplyRow, 'status' | 'tries' | 'nextAt' | 'error'>>): Awaitable<void>
  /** Replies whose callback is due, oldest first. */
  dueReplies(now: number, limit: number): Awaitable<ReplyRow[]>
  /** What waits for this source to be fetched, oldest first. */
  waitingReplies(source: string, limit: number): Awaitable<ReplyRow[]>
  /** By its row. */
  byKey(key: number): Awaitable<InboxRow | undefined>

  source(name: string): Awaitable<SourceRow | undefined>
  putSource(row: SourceRow): Awaitable<void>
  removeSource(name: string): Awaitable<boolean>
  countSources(): Awaitable<number>
  /** The lead that is there: an agent heard of since `since`, else the newest open lead task. */
  presentLead(since: number): Awaitable<Address | undefined>
}

export interface InboxFilter {
  statuses?: InboxStatus[]
  source?: string
  threadKey?: string
  /** Handed to this task. */
  taskId?: TaskId
}

export interface InboxReads {
  /** Newest first. */
  list(filter: InboxFilter, page: PageRequest): Promise<Page<InboxMessage>>
  find(id: InboxId): Promise<InboxMessage | undefined>
  count(statuses: InboxStatus[]): Promise<number>
  sources(): Promise<InboxSource[]>
  /** With its secret, to check a signature. */
  source(name: string): Promise<SourceRow | undefined>
  /** Whether there is a request of which no lead was notified, and a reply whose callback is due. */
  work(now: number): Promise<{ isUntold: boolean; isDue: boolean }>
}
