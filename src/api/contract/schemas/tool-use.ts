import * as z from 'zod/mini'
import { ConversationEvent } from './event'
import { sessionIdSchema, subagentIdSchema, toolUseIdSchema } from './ids'
import { SubagentRun } from './recovery'
import { Subagent, TreeNode } from './session'
import { MaybeInstant, MaybeText } from './usage'

export const ToolUse = z.object({
  id: toolUseIdSchema,
  sessionId: sessionIdSchema,
  name: MaybeText,
  subagentId: z.nullable(subagentIdSchema),
  calledAt: MaybeInstant,
  endedAt: MaybeInstant,
  isError: z.nullable(z.boolean()),
  launched: z.nullable(subagentIdSchema),
  continued: z.nullable(subagentIdSchema),
})

/** A call with its line and its result's, and with what it launched and everything below that. */
export const ToolUseDetail = z.object({
  toolUse: ToolUse,
  call: z.nullable(ConversationEvent),
  result: z.nullable(ConversationEvent),
  launched: z.nullable(TreeNode),
})

/** `runs`: oldest first; a continued agent has several. */
export const SubagentDetail = z.object({ subagent: Subagent, runs: z.array(SubagentRun) })
