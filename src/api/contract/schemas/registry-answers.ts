import * as z from 'zod/mini'
import { Message } from './message'
import { Attachment, Registration } from './registry'
import { addressSchema, MaybeText, sessionIdSchema } from './scalars'
import { Task } from './task'

export const Registered = z.object({ registration: Registration, isNew: z.boolean() })

/** `missed`: oldest first; `nextAfter` is what to read on or follow from, with `GET /api/sessions/:id/messages?after=`. */
export const Attached = z.object({
  address: addressSchema,
  attachment: Attachment,
  isReattached: z.boolean(),
  others: z.array(Attachment),
  missed: z.array(Message),
  hasMore: z.boolean(),
  nextAfter: z.int(),
})

export const Detached = z.object({ address: addressSchema, others: z.array(Attachment) })

export const SessionTasks = z.object({ address: addressSchema, tasks: z.array(Task), nextCursor: MaybeText })
export const ActiveTask = z.object({ address: addressSchema, task: Task })

/** By hand: `line` is the whole command for a shell on `host`. As a task: that task. The other one is `null`. */
export const ResumedSession = z.object({
  address: addressSchema,
  sessionId: sessionIdSchema,
  interactive: z.nullable(
    z.object({ host: MaybeText, dir: z.string(), command: z.array(z.string()), line: z.string() }),
  ),
  task: z.nullable(Task),
})
