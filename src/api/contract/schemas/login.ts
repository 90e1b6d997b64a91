import * as z from 'zod/mini'
import { Instant, MaybeText } from './usage'

/** `path`: what to open on the server; the code stands behind `#`, which no browser sends or logs. */
export const LoginCode = z.object({ code: z.string(), path: z.string(), expiresAt: Instant })
export const LoggedIn = z.object({ until: Instant })
export const Me = z.object({
  kind: z.enum(['operator', 'lead', 'worker', 'attempt']),
  name: MaybeText,
  version: z.string(),
})
