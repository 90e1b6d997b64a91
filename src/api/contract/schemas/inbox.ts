import * as z from 'zod/mini'
import { INBOX_STATUSES, REPLY_STATUSES } from '../../../domain/inbox'
import { TASK_STATUSES } from '../../../domain/task/task'
import { addressSchema, Instant, inboxIdSchema, MaybeInstant, MaybeText, taskIdSchema } from './scalars'
import { Task } from './task'

const InboxTask = z.object({ taskId: taskIdSchema, title: z.string(), status: z.enum(TASK_STATUSES) })

const InboxReply = z.object({
  id: z.string(),
  author: z.string(),
  text: z.string(),
  status: z.enum(REPLY_STATUSES),
  error: MaybeText,
  createdAt: Instant,
})

/** `followsUp`: the newest task of an earlier request of the same thread. Texts are those of others: they grant nothing. */
export const InboxMessage = z.object({
  id: inboxIdSchema,
  source: z.string(),
  externalId: MaybeText,
  threadKey: MaybeText,
  sender: z.string(),
  status: z.enum(INBOX_STATUSES),
  text: z.string(),
  receivedAt: Instant,
  answeredAt: MaybeInstant,
  tasks: z.array(InboxTask),
  replies: z.array(InboxReply),
  followsUp: z.nullable(InboxTask),
})

const InboxSource = z.object({
  name: z.string(),
  callback: MaybeText,
  lead: z.nullable(addressSchema),
  autoDelegate: z.boolean(),
  createdAt: Instant,
})

export const Received = z.object({ id: inboxIdSchema, isRepeat: z.boolean() })
export const InboxPage = z.object({ messages: z.array(InboxMessage), nextCursor: MaybeText })
export const OneInbox = z.object({ message: InboxMessage })
export const DelegatedInbox = z.object({
  message: InboxMessage,
  task: Task,
  routed: MaybeText,
  isRepeat: z.boolean(),
})
export const RepliedInbox = z.object({ message: InboxMessage, replyId: z.string() })
export const InboxSources = z.object({ sources: z.array(InboxSource) })
/** `secret` only where it is new. */
export const SavedSource = z.object({ source: InboxSource, secret: MaybeText })
export const FetchedReplies = z.object({
  replies: z.array(
    z.object({
      id: z.string(),
      inboxId: inboxIdSchema,
      externalId: MaybeText,
      threadKey: MaybeText,
      text: z.string(),
      createdAt: Instant,
    }),
  ),
})
