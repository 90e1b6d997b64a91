import * as z from 'zod/mini'
import { feedSeqSchema } from './ids'
import { Instant, MaybeText } from './usage'

/**
 * `path`: what to open on the server; the code stands behind `#`, which no browser sends or logs. `url`: where browsers of other machines
 * find the server; `null` = nowhere, it listens for this machine alone.
 */
export const LoginCode = z.object({ code: z.string(), path: z.string(), url: MaybeText, expiresAt: Instant })
export const LoggedIn = z.object({ until: Instant })
/** `feedSeq`: where the feed stands. What is asked for after this answer is at least as new, so following from there misses nothing. */
export const Me = z.object({
  kind: z.enum(['operator', 'lead', 'worker', 'attempt']),
  name: MaybeText,
  version: z.string(),
  feedSeq: feedSeqSchema,
})
