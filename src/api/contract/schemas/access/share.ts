import * as z from 'zod/mini'
import { TOKEN_STATES } from '../../../../domain/token/token'
import { Instant, MaybeInstant, MaybeText, sessionIdSchema, tokenIdSchema } from '../scalars'

/** `from` and `until` are numbers of turns. `lastUsedAt` is exact to the minute. */
export const Share = z.object({
  id: tokenIdSchema,
  sessionId: sessionIdSchema,
  from: z.int(),
  until: z.int(),
  besideId: z.nullable(sessionIdSchema),
  state: z.enum(TOKEN_STATES),
  createdAt: Instant,
  lastUsedAt: MaybeInstant,
  expiresAt: Instant,
})
export const ShareList = z.object({ shares: z.array(Share) })
/** `path` leads to the session at this server: anybody who has it sees it. `url`: the origin for other machines, if there is one. */
export const CreatedShare = z.object({ share: Share, path: z.string(), url: MaybeText })
export const RevokedShare = z.object({ id: tokenIdSchema })
