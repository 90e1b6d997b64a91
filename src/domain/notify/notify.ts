import type { QuestionId } from '../ids'
import type { Awaitable, Sparse } from '../port'
import { DAY_MS } from '../time-units'
import type { ChannelKind } from './channel-kind'
import type { NotifyEvent } from './notify-event'
import type { QuietHours } from './quiet-hours'

export const NOTIFY_LIMITS = Object.freeze({
  /** Channels at once. */
  channels: 50,
  /** Characters of a target, of a secret, and of a mail server's address. */
  target: 2_000,
  /** Words of a command. */
  argv: 50,
  /** How long a channel may wait before it reports something, in milliseconds. */
  afterMs: DAY_MS,
  /** Characters of a notification's text. */
  text: 1_000,
  title: 200,
  /** Notifications that the log gives. */
  log: 200,
})

/**
 * Where a notification is.
 *
 * - `waiting`  it is sent when its time comes
 * - `sent`     its channel took it
 * - `failed`   its channel refused it until the last try
 * - `over`     what it was about needed nobody any more before its time came
 */
export const NOTIFICATION_STATUSES = ['waiting', 'sent', 'failed', 'over'] as const
export type NotificationStatus = (typeof NOTIFICATION_STATUSES)[number]

/** A way to notify a person, as the API gives it. It has no secret. */
export interface Channel {
  name: string
  kind: ChannelKind
  /** Where it goes, for a person to recognise; `null` = the kind has no target. */
  target: string | null
  server: string | null
  sender: string | null
  hasSecret: boolean
  events: NotifyEvent[]
  /** Only what is of this project; `null` = all. */
  project: string | null
  quiet: QuietHours | null
  /** How long something must stand before it is reported, in milliseconds. */
  afterMs: number
  createdAt: string
}

/** A row of `notify_channels`. Times in milliseconds. */
export interface ChannelRow extends Omit<Channel, 'createdAt' | 'hasSecret' | 'target'> {
  key: number
  /** Whole; a command's words are JSON. */
  target: string | null
  secret: string | null
  createdAt: number
}

/** Something to report to a person. */
export interface News {
  /** What it is about, the same each time that it is seen: the ID of the need. */
  subject: string
  event: NotifyEvent
  /** Milliseconds since the epoch. */
  since: number
  title: string
  text: string
  project: string | null
  /** Path of the dashboard's page. */
  path: string
  questionId: QuestionId | null
}

/** Something that a channel reported, or will report, as the API gives it. */
export interface Notification {
  id: string
  channel: string
  event: NotifyEvent | 'test'
  title: string
  status: NotificationStatus
  tries: number
  /** Why the last try failed. */
  error: string | null
  createdAt: string
  /** When it was sent, or was given up. */
  settledAt: string | null
}

/** A row of `notifications`. Times in milliseconds. */
export interface NotificationRow extends Omit<Notification, 'createdAt' | 'settledAt'> {
  key: number
  subject: string
  text: string
  path: string
  questionId: QuestionId | null
  /** The digest of the secret that proves a press of a button; `null` = it has no buttons. */
  answerHash: string | null
  /** When it is tried next; `null` = it is settled. */
  nextAt: number | null
  createdAt: number
  settledAt: number | null
}
export type NewNotificationRow = Sparse<Omit<NotificationRow, 'key'>>

/** A key pair of P-256 by which push services know who sends (RFC 8292); both as base64url. */
export interface PushKeys {
  publicKey: string
  privateKey: string
}

export interface NotifyTx {
  pushKeys(): Awaitable<PushKeys | undefined>
  /** Nothing where there are some already. */
  insertPushKeys(keys: PushKeys): Awaitable<void>
  channel(name: string): Awaitable<ChannelRow | undefined>
  /** By name. */
  channels(): Awaitable<ChannelRow[]>
  putChannel(row: Omit<ChannelRow, 'key'>): Awaitable<void>
  /** Its notifications go with it. @returns whether there was one */
  removeChannel(name: string): Awaitable<boolean>
  /** Does nothing if the channel reported this subject before. */
  insert(row: NewNotificationRow): Awaitable<void>
  find(id: string): Awaitable<NotificationRow | undefined>
  /** Those whose time has come, the oldest first, without what another server holds. */
  due(now: number, limit: number): Awaitable<NotificationRow[]>
  update(
    id: string,
    patch: Partial<Pick<NotificationRow, 'status' | 'tries' | 'nextAt' | 'error' | 'settledAt' | 'answerHash'>>,
  ): Awaitable<void>
  /** Removes what was settled before. @returns how many */
  forgetSettled(before: number): Awaitable<number>
}

export interface NotifyReads {
  channels(): Promise<Channel[]>
  /** When the oldest channel was added, in milliseconds; `null` = there is none. */
  toldSince(): Promise<number | null>
  /** What channels reported, the newest first. */
  log(channel: string | null, limit: number): Promise<Notification[]>
  isDue(now: number): Promise<boolean>
}
