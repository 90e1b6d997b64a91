import * as z from 'zod/mini'
import type { SessionId } from '../../domain/ids'
import { INBOX_STATUSES } from '../../domain/inbox'
import type { INBOX_ROUTES } from './inbox-routes'
import { byId, id, idOf, nothing, paging, type RequestSchemas, text, words } from './request-fields'

const optional = z.optional
const byName = () => z.strictObject({ name: id() })

/**
 * What goes into requests about the inbox. The body of `inbox.receive` is `{sender, text, externalId?, threadKey?}`, that of
 * `inbox.fetchReplies` `{ack?: ids, limit?}`: both are signed as they are, byte for byte.
 */
export const INBOX_REQUESTS = {
  'inbox.receive': {},
  'inbox.fetchReplies': {},
  'inbox.list': {
    query: () =>
      z.strictObject({
        status: optional(z.array(z.enum(INBOX_STATUSES))),
        source: optional(id()),
        threadKey: optional(text(300)),
        /** Handed to this task. */
        taskId: optional(id()),
        ...paging(),
      }),
  },
  'inbox.sources': {},
  'inbox.putSource': {
    params: byName,
    body: () =>
      z.strictObject({
        /** Where replies are sent: https, or http on this machine; `null` = they wait to be fetched. */
        callback: optional(z.nullable(words())),
        /** The lead that is told of what comes: a task's or agent's id, or an agent's name; `null` = the one that is there. */
        lead: optional(z.nullable(words())),
        /** A new secret; the former one is worth nothing any more. */
        rotate: optional(z.boolean()),
      }),
  },
  'inbox.removeSource': { params: byName },
  'inbox.get': { params: byId },
  'inbox.delegate': {
    params: byId,
    body: () =>
      z.strictObject({
        task: words(),
        title: optional(words()),
        /** The task whose conversation it goes on with; `null` = none, though the thread has one. */
        parentTaskId: optional(z.nullable(id())),
        agentId: optional(text(200)),
        requiredCapabilities: optional(z.array(words())),
        priority: optional(z.int()),
        tags: optional(z.array(words())),
        dir: optional(words()),
        model: optional(text(200)),
        /** Of an operator's command within a chat session. */
        sessionId: optional(idOf<SessionId>()),
      }),
  },
  'inbox.reply': {
    params: byId,
    body: () =>
      z.strictObject({
        text: words(),
        /** Nothing more is to be done about it. */
        close: optional(z.boolean()),
      }),
  },
  'inbox.close': { params: byId, body: nothing },
} satisfies Record<keyof typeof INBOX_ROUTES, RequestSchemas>

/** The signed body of `inbox.receive`. Other fields are passed over: a source sends what it has. */
export const ReceivedBody = () =>
  z.object({ sender: words(), text: words(), externalId: optional(words()), threadKey: optional(words()) })

/** The signed body of `inbox.fetchReplies`. */
export const FetchBody = () =>
  z.object({
    ack: optional(z.array(words()).check(z.maxLength(200))),
    limit: optional(z.int().check(z.minimum(1), z.maximum(200))),
  })
