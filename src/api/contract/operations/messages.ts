/**
 * Messages and the addresses that they wait at. A run reads and acknowledges at its own task's address alone, an agent at its own, an operator
 * everywhere.
 */

import { READ_ADDRESS, READ_MESSAGE, SEND_MESSAGE, WITHDRAW_MESSAGE } from '../../../domain/access/rules'
import type { SessionId } from '../../../domain/ids'
import { MESSAGE_KINDS, MESSAGE_LIMITS, MESSAGE_STATUSES, SENT_KINDS } from '../../../domain/message/message'
import { OFFER_ROUTES } from '../../../domain/message/message-offer'
import { OPERATOR } from '../callers'
import { type Fields, json, lines, noun } from '../operation'
import { MAX_TAKE_WAIT_MS, MAX_TAKEN } from '../protocol'

/** `after`: only what has a greater `seq`. */
export const ofAddress = (f: Fields) => f.strictObject({ after: f.optional(f.seq()), ...f.paging() })
export const acknowledged = (f: Fields) =>
  f.strictObject({ ids: f.array(f.uuid()).check(f.minLength(1), f.maxLength(MAX_TAKEN)) })

export const messages = noun('messages', {
  send: {
    method: 'POST',
    path: '/api/messages',
    access: SEND_MESSAGE,
    isCreate: true,
    summary: 'Send a message to a task, session or agent; the token identifies the sender',
    body: (f) =>
      f.strictObject({
        /** An address, an agent's name, or `parent` of a run; left out where `replyTo` says it. */
        to: f.optional(f.words()),
        text: f.words(MESSAGE_LIMITS.text),
        /** A `result` is not sent (tasks report their results), nor an `input` (a person gives it to a task). */
        kind: f.optional(f.enum([...SENT_KINDS, 'result'])),
        /** The message that this one answers. */
        replyTo: f.optional(f.words()),
        wantsReply: f.optional(f.boolean()),
        /** An operator's command within a chat session only. */
        sessionId: f.optional(f.idOf<SessionId>()),
      }),
    ids: { to: 'address' },
    mayNameNewSession: true,
    answer: json((schemas) => schemas.OneMessage),
  },
  list: {
    method: 'GET',
    path: '/api/messages',
    access: READ_MESSAGE,
    summary: 'List messages, oldest first unless newestFirst is true',
    query: (f) =>
      f.strictObject({
        /** Addresses, or what they are known by as well. */
        to: f.optional(f.id()),
        from: f.optional(f.id()),
        status: f.optional(f.array(f.enum(MESSAGE_STATUSES))),
        kind: f.optional(f.array(f.enum(MESSAGE_KINDS))),
        taskId: f.optional(f.id()),
        /** Only to or from sessions and tasks of this agent CLI. */
        agent: f.optional(f.agentCli()),
        after: f.optional(f.seq()),
        newestFirst: f.optional(f.boolean()),
        ...f.paging(),
      }),
    answer: json((schemas) => schemas.MessagePage),
  },
  get: {
    method: 'GET',
    path: '/api/messages/:id',
    access: READ_MESSAGE,
    summary: 'Get a message with its delivery steps',
    answer: json((schemas) => schemas.MessageDetail),
  },
  withdraw: {
    method: 'POST',
    path: '/api/messages/:id/withdraw',
    access: WITHDRAW_MESSAGE,
    summary: 'Withdraw a message that nobody has received yet',
    answer: json((schemas) => schemas.OneMessage),
  },
  at: {
    method: 'GET',
    path: '/api/addresses/:id/messages',
    access: READ_ADDRESS,
    summary: "List an address's messages after a position, or stream them as server-sent events",
    query: ofAddress,
    answer: lines((schemas) => schemas.MessagePage),
  },
  take: {
    method: 'POST',
    path: '/api/addresses/:id/take',
    access: READ_ADDRESS,
    /** Delivered as they were sent. */
    secrets: 'kept',
    summary:
      'Receive the messages waiting at an address, or wait for some; repeating the call returns the same messages',
    body: (f) =>
      f.strictObject({
        /**
         * Names the call, so that it gets the same when it is sent again: of a tool its `toolu_…`; of a process `<pid> <start>` and
         * whatever tells its calls apart. By it the server sees whether the call is over; see `engine/messages/carriers.ts`.
         */
        call: f.text(200),
        limit: f.optional(f.limit(MAX_TAKEN)),
        /** How long to wait when nothing is there, in milliseconds; 0 or left out = not at all. */
        waitMs: f.optional(f.whole(0, MAX_TAKE_WAIT_MS)),
      }),
    answer: json((schemas) => schemas.TakenMessages),
  },
  offer: {
    method: 'POST',
    path: '/api/addresses/:id/offer',
    access: OPERATOR,
    /** Delivered as they were sent. */
    secrets: 'kept',
    summary: "Receive what a hook of this machine may say of the messages waiting at its session's address",
    body: (f) =>
      f.strictObject({
        route: f.enum(OFFER_ROUTES),
        /** The CLI whose hook it is: `<pid>@<start>`. */
        cli: f.text(100),
        /** Which one it is; left out: the one that is asked where nothing names one. */
        agent: f.optional(f.agentCli()),
        /** The file to which it writes the conversation, and how many bytes that has. */
        transcript: f.optional(f.text(4_096)),
        size: f.optional(f.whole(0, Number.MAX_SAFE_INTEGER)),
        /** Characters that the hook can say. */
        room: f.whole(0, MESSAGE_LIMITS.text),
        /** Nothing, unless one of them is worth a turn. */
        onlyWaking: f.optional(f.boolean()),
      }),
    ids: 'as given',
    answer: json((schemas) => schemas.TakenMessages),
  },
  acknowledge: {
    method: 'POST',
    path: '/api/addresses/:id/ack',
    access: READ_ADDRESS,
    summary: 'Acknowledge messages, so that they are not offered again',
    body: acknowledged,
    answer: json((schemas) => schemas.Messages),
  },
})
