import * as z from 'zod/mini'
import type { SessionId } from '../../domain/ids'
import { MESSAGE_KINDS, MESSAGE_STATUSES, SENT_KINDS } from '../../domain/message'
import type { MESSAGE_ROUTES } from './message-routes'
import {
  byId,
  id,
  idOf,
  limit,
  nothing,
  paging,
  type RequestSchemas,
  seq,
  text,
  uuid,
  whole,
  words,
} from './request-fields'
import { MAX_TAKE_WAIT_MS, MAX_TAKEN } from './routes'

const optional = z.optional
/** `after`: only what has a greater `seq`. */
const ofAddress = () => z.strictObject({ after: optional(seq()), ...paging() })
const acknowledged = () => z.strictObject({ ids: z.array(uuid()).check(z.minLength(1), z.maxLength(MAX_TAKEN)) })

/** What goes into requests about messages. */
export const MESSAGE_REQUESTS = {
  'messages.send': {
    body: () =>
      z.strictObject({
        /** An address, an agent's name, or `parent` of a run; left out where `replyTo` says it. */
        to: optional(words()),
        text: words(),
        /** A `result` is not sent (tasks report what they came to), nor an `input` (it is said to a task). */
        kind: optional(z.enum([...SENT_KINDS, 'result'])),
        /** The message that this one answers. */
        replyTo: optional(words()),
        wantsReply: optional(z.boolean()),
        /** Of an operator's command within a chat session. */
        sessionId: optional(idOf<SessionId>()),
      }),
  },
  'messages.list': {
    query: () =>
      z.strictObject({
        /** Addresses, or what they are known by as well. */
        to: optional(id()),
        from: optional(id()),
        status: optional(z.array(z.enum(MESSAGE_STATUSES))),
        kind: optional(z.array(z.enum(MESSAGE_KINDS))),
        taskId: optional(id()),
        after: optional(seq()),
        ...paging(),
      }),
  },
  'messages.get': { params: byId },
  'messages.withdraw': { params: byId, body: nothing },
  'addresses.messages': { params: byId, query: ofAddress },
  'addresses.take': {
    params: byId,
    body: () =>
      z.strictObject({
        /**
         * Names the call, so that it gets the same when it is sent again: of a tool its `toolu_…`; of a process `<pid> <start>` and
         * whatever tells its calls apart. By it the server sees whether the call is over; see `engine/messages/carriers.ts`.
         */
        call: text(200),
        limit: optional(limit(MAX_TAKEN)),
        /** How long to wait when nothing is there, in milliseconds; 0 or left out = not at all. */
        waitMs: optional(whole(0, MAX_TAKE_WAIT_MS)),
      }),
  },
  'addresses.acknowledge': { params: byId, body: acknowledged },
  'sessions.messages': { params: byId, query: ofAddress },
  'sessions.acknowledge': { params: byId, body: acknowledged },
} satisfies Record<keyof typeof MESSAGE_ROUTES, RequestSchemas>
