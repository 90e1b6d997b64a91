import * as z from 'zod/mini'
import { issueIdSchema, sessionIdSchema } from './ids'
import { Instant, MaybeInstant } from './usage'

/** What one session left for the next. */
export const HandoffSchema = z.object({
  id: z.string(),
  at: Instant,
  sessionId: z.nullable(sessionIdSchema),
  folder: z.string(),
  issueId: z.nullable(issueIdSchema),
  goal: z.string(),
  state: z.string(),
  evidence: z.string(),
  next: z.string(),
  note: z.string(),
  givenTo: z.nullable(sessionIdSchema),
  givenAt: MaybeInstant,
})

export const OneHandoff = z.object({ handoff: HandoffSchema })
export const HandoffList = z.object({ handoffs: z.array(HandoffSchema) })
