import * as z from 'zod/mini'
import { CHANNEL_KIND_NAMES } from '../../../domain/notify/channel-kind'
import { NOTIFICATION_STATUSES } from '../../../domain/notify/notify'
import { NOTIFY_EVENTS } from '../../../domain/notify/notify-event'
import { Instant, MaybeInstant, MaybeText } from './scalars'

/** `target`: where it goes; of one that is a secret itself, only its server. `quiet`: minutes of the day. */
const Channel = z.object({
  name: z.string(),
  kind: z.enum(CHANNEL_KIND_NAMES),
  target: MaybeText,
  server: MaybeText,
  sender: MaybeText,
  hasSecret: z.boolean(),
  events: z.array(z.enum(NOTIFY_EVENTS)),
  project: MaybeText,
  quiet: z.nullable(z.object({ from: z.int(), until: z.int(), zone: z.string() })),
  afterMs: z.int(),
  createdAt: Instant,
})

const Notification = z.object({
  id: z.string(),
  channel: z.string(),
  event: z.enum([...NOTIFY_EVENTS, 'test']),
  title: z.string(),
  status: z.enum(NOTIFICATION_STATUSES),
  tries: z.int(),
  error: MaybeText,
  createdAt: Instant,
  settledAt: MaybeInstant,
})

export const Channels = z.object({ channels: z.array(Channel) })
/** `secret` only where the server made it now: it signs what a webhook gets. */
export const SavedChannel = z.object({ channel: Channel, secret: MaybeText })
export const SentTest = z.object({ notificationId: z.string() })
export const NotificationLog = z.object({ notifications: z.array(Notification) })
/** As base64url, for `applicationServerKey`. */
export const PushKey = z.object({ publicKey: z.string() })
export const PressedButton = z.object({ behavior: z.enum(['allow', 'deny']) })
