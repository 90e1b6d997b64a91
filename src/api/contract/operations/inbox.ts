/**
 * What comes from outside. A source proves who it is by a signature, everybody else by a token; of runs only those of a task that leads are
 * answered. Bodies of sources are signed as they are, byte for byte.
 */

import { ANSWER_INBOX, CLOSE_INBOX } from '../../../domain/access/rules'
import type { SessionId } from '../../../domain/ids'
import { INBOX_LIMITS, INBOX_STATUSES } from '../../../domain/inbox'
import { TASK_LIMITS } from '../../../domain/task/task-limits'
import { OPERATOR } from '../callers'
import { type Fields, json, noun } from '../operation'
import { taskFields } from '../task-schemas'

/** What a source sends. Other fields are passed over: a source sends what it has. */
const received = (f: Fields) =>
  f.object({
    sender: f.words(INBOX_LIMITS.sender),
    text: f.words(INBOX_LIMITS.text),
    externalId: f.optional(f.words(INBOX_LIMITS.key)),
    threadKey: f.optional(f.words(INBOX_LIMITS.key)),
  })

/** Which replies a source has by now, and how many it wants. */
const fetchReplies = (f: Fields) =>
  f.object({
    ack: f.optional(f.array(f.words()).check(f.maxLength(200))),
    limit: f.optional(f.int().check(f.minimum(1), f.maximum(200))),
  })

export const inbox = noun('inbox', {
  receive: {
    method: 'POST',
    path: '/api/inbox',
    access: 'public',
    takes: 'handler',
    summary: 'Submit an external request, signed by its source; a repeated submission is the same request',
    ownBody: received,
    answer: json((schemas) => schemas.Received),
  },
  fetchReplies: {
    method: 'POST',
    path: '/api/inbox/replies',
    access: 'public',
    takes: 'handler',
    summary: 'Fetch and acknowledge the waiting replies of a source, identified by its signature',
    ownBody: fetchReplies,
    answer: json((schemas) => schemas.FetchedReplies),
  },
  list: {
    method: 'GET',
    path: '/api/inbox',
    access: ANSWER_INBOX,
    summary: 'List external requests, newest first',
    query: (f) =>
      f.strictObject({
        status: f.optional(f.array(f.enum(INBOX_STATUSES))),
        source: f.optional(f.id()),
        threadKey: f.optional(f.text(INBOX_LIMITS.key)),
        /** Handed to this task. */
        taskId: f.optional(f.id()),
        ...f.paging(),
      }),
    answer: json((schemas) => schemas.InboxPage),
  },
  sources: {
    method: 'GET',
    path: '/api/inbox-sources',
    access: OPERATOR,
    summary: 'List the sources that may send external requests',
    answer: json((schemas) => schemas.InboxSources),
  },
  putSource: {
    method: 'PUT',
    path: '/api/inbox-sources/:name',
    access: OPERATOR,
    givesAccess: 'untracked',
    summary: 'Add or change a source of requests; a new secret is returned only in this response',
    body: (f) =>
      f.strictObject({
        /** Where replies are sent: https, or http on this machine; `null` = they wait to be fetched. */
        callback: f.optional(f.nullable(f.words())),
        /** The lead to notify of new requests: a task's or agent's id, or an agent's name; `null` = the one that is there. */
        lead: f.optional(f.nullable(f.words())),
        /** Tasks that a lead makes of its requests start without a person's consent. Default: false. */
        autoDelegate: f.optional(f.boolean()),
        /** A new secret; the former one is worth nothing any more. */
        rotate: f.optional(f.boolean()),
      }),
    ids: { lead: 'address' },
    answer: json((schemas) => schemas.SavedSource),
  },
  removeSource: {
    method: 'DELETE',
    path: '/api/inbox-sources/:name',
    access: OPERATOR,
    summary: 'Stop accepting requests from a source; its past requests stay',
    answer: 'empty',
  },
  get: {
    method: 'GET',
    path: '/api/inbox/:id',
    access: ANSWER_INBOX,
    summary: 'Get an external request with its tasks, replies and the task it may follow up on',
    answer: json((schemas) => schemas.OneInbox),
  },
  delegate: {
    method: 'POST',
    path: '/api/inbox/:id/delegate',
    access: ANSWER_INBOX,
    isCreate: true,
    summary: 'Create a task from an external request',
    body: (f) =>
      f.strictObject({
        task: f.words(TASK_LIMITS.text),
        ...taskFields(f, ['title', 'agentId', 'agentClis', 'requiredCapabilities', 'priority', 'tags', 'dir', 'model']),
        /** The task whose conversation it goes on with; `null` = none, though the thread has one. */
        parentTaskId: f.optional(f.nullable(f.id())),
        /** An operator's command within a chat session only. */
        sessionId: f.optional(f.idOf<SessionId>()),
      }),
    mayNameNewSession: true,
    answer: json((schemas) => schemas.DelegatedInbox),
  },
  reply: {
    method: 'POST',
    path: '/api/inbox/:id/reply',
    access: ANSWER_INBOX,
    isCreate: true,
    summary: 'Reply to the sender of a request',
    body: (f) =>
      f.strictObject({
        text: f.words(INBOX_LIMITS.reply),
        /** Nothing more is to be done about it. */
        close: f.optional(f.boolean()),
      }),
    answer: json((schemas) => schemas.RepliedInbox),
  },
  close: {
    method: 'POST',
    path: '/api/inbox/:id/close',
    access: CLOSE_INBOX,
    summary: 'Close a request: no further action is needed',
    answer: json((schemas) => schemas.OneInbox),
  },
})
