/** Channels that notify people of what needs them. */
import { CHANNEL_KIND_NAMES } from '../../../domain/notify/channel-kind'
import { NOTIFY_LIMITS } from '../../../domain/notify/notify'
import { NOTIFY_EVENTS } from '../../../domain/notify/notify-event'
import { OPERATOR } from '../callers'
import { json, noun } from '../operation'

export const notify = noun('notify', {
  list: {
    method: 'GET',
    path: '/api/notify/channels',
    access: OPERATOR,
    summary: 'List the channels that are notified, without their secrets',
    answer: json((schemas) => schemas.Channels),
  },
  put: {
    method: 'PUT',
    path: '/api/notify/channels/:name',
    access: OPERATOR,
    summary: 'Add or change a channel; a secret that the server makes is returned only in this response',
    body: (f) =>
      f.strictObject({
        kind: f.enum(CHANNEL_KIND_NAMES),
        /** Where it goes; of a command its words. */
        target: f.optional(f.union([f.text(NOTIFY_LIMITS.target), f.array(f.text(NOTIFY_LIMITS.target))])),
        secret: f.optional(f.nullable(f.text(500))),
        /** The server of the service, where the kind takes one. */
        server: f.optional(f.nullable(f.text(500))),
        /** The address that a mail is from. Default: the target. */
        sender: f.optional(f.nullable(f.text(400))),
        /** Default: what waits for a person, or went wrong. */
        events: f.optional(f.array(f.enum(NOTIFY_EVENTS)).check(f.minLength(1))),
        /** Only what is of this project; `null` = all. */
        project: f.optional(f.nullable(f.text(4_096))),
        /** In these minutes of the day nothing is sent; what still stands at their end is. */
        quiet: f.optional(
          f.nullable(f.strictObject({ from: f.whole(0, 1_439), until: f.whole(0, 1_439), zone: f.text(100) })),
        ),
        /** How long something must stand before it is reported, in milliseconds. Default 0. */
        afterMs: f.optional(f.whole(0, NOTIFY_LIMITS.afterMs)),
      }),
    answer: json((schemas) => schemas.SavedChannel),
  },
  test: {
    method: 'POST',
    path: '/api/notify/channels/:name/test',
    access: OPERATOR,
    summary: 'Send a test notification to a channel; the log shows the result',
    answer: json((schemas) => schemas.SentTest),
  },
  log: {
    method: 'GET',
    path: '/api/notify/log',
    access: OPERATOR,
    summary: 'List what was sent to the channels, newest first',
    query: (f) =>
      f.strictObject({
        channel: f.optional(f.text(64)),
        limit: f.optional(f.limit(NOTIFY_LIMITS.log)),
      }),
    answer: json((schemas) => schemas.NotificationLog),
  },
  remove: {
    method: 'DELETE',
    path: '/api/notify/channels/:name',
    access: OPERATOR,
    summary: 'Remove a channel and its log',
    answer: 'empty',
  },
  pushKey: {
    method: 'POST',
    path: '/api/notify/push-key',
    access: OPERATOR,
    summary: 'Get the public key with which a browser subscribes to its push service',
    answer: json((schemas) => schemas.PushKey),
  },
  answer: {
    method: 'POST',
    path: '/api/notify/answer',
    access: 'public',
    summary: "Answer a question by a notification's button, which proves itself and counts once",
    body: (f) => f.strictObject({ secret: f.text(200), behavior: f.enum(['allow', 'deny']) }),
    answer: json((schemas) => schemas.PressedButton),
  },
})
