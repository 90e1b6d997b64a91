import * as z from 'zod/mini'
import { TODO_STATUSES } from '../../../domain/observation'
import { sessionIdSchema, subagentIdSchema, todoIdSchema } from './ids'
import { MaybeInstant, MaybeText } from './usage'

/** One item of an agent's own to-do list. */
export const Todo = z.object({
  id: todoIdSchema,
  listId: z.string(),
  sessionId: sessionIdSchema,
  subagentId: z.nullable(subagentIdSchema),
  nativeId: MaybeText,
  ordinal: z.int(),
  content: z.string(),
  activeForm: MaybeText,
  description: MaybeText,
  owner: MaybeText,
  blockedBy: z.array(z.string()),
  status: z.enum(TODO_STATUSES),
  createdAt: MaybeInstant,
  updatedAt: MaybeInstant,
  completedAt: MaybeInstant,
})

export const TodoPage = z.object({ todos: z.array(Todo), nextCursor: MaybeText })
