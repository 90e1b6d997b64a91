import * as z from 'zod/mini'
import { TODO_STATUSES } from '../../../domain/record/observation'
import { issueIdSchema, MaybeInstant, MaybeText, sessionIdSchema, subagentIdSchema, todoIdSchema } from './scalars'

/** An agent, or its main thread (`subagentId` null). */
export const TodoChanger = z.object({ sessionId: sessionIdSchema, subagentId: z.nullable(subagentIdSchema) })

/**
 * One item of an agent's own to-do list. `leftOpen`: it is open, and its list has ended. `completedBy` `issue`: the issue that it was
 * promoted to is over.
 */
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
  completedBy: z.nullable(z.enum(['agent', 'issue'])),
  changedBy: z.nullable(TodoChanger),
  leftOpen: z.boolean(),
  promotedTo: z.nullable(issueIdSchema),
  takenBy: z.nullable(sessionIdSchema),
})

/** Without removed items. */
export const TodoProgress = z.object({ completed: z.int(), inProgress: z.int(), total: z.int() })

export const TodoPage = z.object({ todos: z.array(Todo), nextCursor: MaybeText })

/** `from` and `to` are what changed, as text. `droppedCount`: older entries that are not kept. */
export const TodoHistory = z.object({
  todo: Todo,
  history: z.array(z.object({ at: MaybeInstant, change: z.string(), from: MaybeText, to: MaybeText, by: TodoChanger })),
  droppedCount: z.int(),
})

export const TodoChanges = z.object({ todos: z.array(TodoHistory) })

/** `syncedCount`: items of the payload's list that are kept; 0 for a payload of another tool. */
export const TodosSynced = z.object({
  sessionId: sessionIdSchema,
  syncedCount: z.int(),
  leftOutCount: z.int(),
  changed: z.boolean(),
})
export const TodosFinalized = z.object({ leftOpen: z.int(), completed: z.int() })
export const TodosTaken = z.object({ taken: z.array(todoIdSchema) })
