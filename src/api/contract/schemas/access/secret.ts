import * as z from 'zod/mini'
import { Instant, MaybeText, sessionIdSchema } from '../scalars'

/** `preview`: its first characters; `count`: its places in the session's files; `sessionId` null = the journal of hooks. */
export const FoundSecret = z.object({
  id: z.string(),
  rule: z.string(),
  preview: z.string(),
  sessionId: z.nullable(sessionIdSchema),
  count: z.int(),
  eventId: MaybeText,
  firstSeenAt: Instant,
  erasedAt: z.nullable(Instant),
})

export const SecretPage = z.object({ secrets: z.array(FoundSecret), nextCursor: MaybeText })

/** `places` in journals, `rows` of the database and `files` of Lodeline's folder held it; `agentFiles` still do. */
export const ErasedSecret = z.object({
  id: z.string(),
  rule: z.string(),
  places: z.int(),
  rows: z.int(),
  files: z.int(),
  agentFiles: z.array(z.string()),
})

/** `journals` and `bytes` that were looked through, and places that were `found` anew. */
export const SecretScan = z.object({ journals: z.int(), bytes: z.int(), found: z.int() })
