import * as z from 'zod/mini'
import { MESSAGE_KINDS, MESSAGE_ROUTES, MESSAGE_STATUSES } from '../../../domain/message/message'
import { addressSchema, Instant, MaybeInstant, MaybeText, messageIdSchema, taskIdSchema } from './scalars'

const MessageStatusSchema = z.enum(MESSAGE_STATUSES)
const MaybeRoute = z.nullable(z.enum(MESSAGE_ROUTES))

/**
 * Something addressed to a task, agent or session. `seq` is its position among all: the cursor of an address's stream. `fullAt`: a
 * command that shows what the text leaves out. `consumed` says that the receiver's model went on from it, or that a client has it.
 */
export const Message = z.object({
  id: messageIdSchema,
  seq: z.int(),
  to: addressSchema,
  from: z.object({
    kind: z.enum(['task', 'session', 'agent', 'person', 'outside']),
    address: z.nullable(addressSchema),
    name: z.string(),
  }),
  kind: z.enum(MESSAGE_KINDS),
  cause: z.string(),
  taskId: z.nullable(taskIdSchema),
  replyTo: z.nullable(messageIdSchema),
  wantsReply: z.boolean(),
  text: z.string(),
  isCut: z.boolean(),
  fullAt: MaybeText,
  status: MessageStatusSchema,
  route: MaybeRoute,
  evidence: MaybeText,
  createdAt: Instant,
  queuedAt: MaybeInstant,
  deliveredAt: MaybeInstant,
  consumedAt: MaybeInstant,
})

export const OneMessage = z.object({ message: Message })
export const MessagePage = z.object({ messages: z.array(Message), nextCursor: MaybeText })
export const Messages = z.object({ messages: z.array(Message) })
/** `count`: how many more wait at the address. */
export const TakenMessages = z.object({ messages: z.array(Message), count: z.int() })

export const MessageDetail = z.object({
  message: Message,
  steps: z.array(z.object({ at: Instant, status: MessageStatusSchema, route: MaybeRoute, text: z.string() })),
  /** Why it still waits, and what to do; `null` = it does not wait, or the server can't tell. */
  waits: MaybeText,
})
