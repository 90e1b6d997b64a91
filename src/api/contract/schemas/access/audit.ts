import * as z from 'zod/mini'
import { AUDIT_ACT_NAMES } from '../../../../domain/audit'
import { Instant, MaybeText } from '../scalars'

/** `actor.peer`: the network address; `hash` is over the line and `before`, the hash of the line before. */
export const AuditLine = z.object({
  number: z.int(),
  at: Instant,
  act: z.enum(AUDIT_ACT_NAMES),
  actor: z.object({ kind: z.string(), name: MaybeText, peer: MaybeText }),
  target: MaybeText,
  detail: z.record(z.string(), z.nullable(z.union([z.string(), z.number(), z.boolean()]))),
  before: z.string(),
  hash: z.string(),
})

export const AuditPage = z.object({ lines: z.array(AuditLine), nextCursor: MaybeText })

/** `head`: the line that was written last. Somebody who notes its hash elsewhere can see later that the log was not made anew. */
export const AuditCheck = z.object({
  isWhole: z.boolean(),
  lines: z.int(),
  head: z.object({ number: z.int(), hash: z.string() }),
  problems: z.array(z.string()),
})
