import type { ChannelKind } from '../../domain/notify/channel-kind'
import type { NotificationRow, PushKeys } from '../../domain/notify/notify'
import type { NotifyEvent } from '../../domain/notify/notify-event'
import type { QuietHours } from '../../domain/notify/quiet-hours'

/** A channel to add or change. What is left out stays as it was, or as `channels.ts` has it for a new one. */
export interface PutChannel {
  name: string
  kind: ChannelKind
  /** A command's words are a list. */
  target?: string | string[] | undefined
  secret?: string | null | undefined
  server?: string | null | undefined
  sender?: string | null | undefined
  events?: NotifyEvent[] | undefined
  project?: string | null | undefined
  quiet?: QuietHours | null | undefined
  afterMs?: number | undefined
}

/** A button of a notification. */
export interface NotifyAction {
  label: 'Allow' | 'Deny'
  behavior: 'allow' | 'deny'
}

/** Something to send now. Several notifications of one channel travel as one. */
export interface NotifyDelivery {
  ids: string[]
  channel: { name: string; kind: ChannelKind; target: string | null; server: string | null; sender: string | null }
  secret: string | null
  /** Push channels only. */
  pushKeys: PushKeys | null
  event: NotificationRow['event']
  title: string
  text: string
  path: string
  /** Proves a press of a button; `null` = it has none. */
  answerSecret: string | null
}
