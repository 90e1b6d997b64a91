import * as z from 'zod/mini'
import { ENROLLMENT_STATES, SHOWN_ROLES, TOKEN_STATES } from '../../../../domain/token/token'
import { Instant, MaybeInstant, MaybeText, tokenIdSchema } from '../scalars'

/** `lastUsedAt` is exact to the minute. `expiresAt`: `null` = it does not expire. */
export const Token = z.object({
  id: tokenIdSchema,
  role: z.enum(SHOWN_ROLES),
  name: z.string(),
  state: z.enum(TOKEN_STATES),
  createdAt: Instant,
  lastUsedAt: MaybeInstant,
  expiresAt: MaybeInstant,
})
export const TokenList = z.object({ tokens: z.array(Token) })
/** `secret`: the token itself. */
export const CreatedToken = z.object({ token: Token, secret: z.string() })
export const RevokedToken = z.object({ id: tokenIdSchema })
/** `file`: where the new token is, on the server's machine. */
export const RotatedToken = z.object({ file: z.string() })

/** `name` is the worker's. `expiresAt` is of the code while it waits, else of the token. */
export const Enrollment = z.object({
  name: z.string(),
  state: z.enum(ENROLLMENT_STATES),
  host: MaybeText,
  createdAt: Instant,
  lastUsedAt: MaybeInstant,
  expiresAt: MaybeInstant,
})
export const EnrollmentList = z.object({ workers: z.array(Enrollment) })
export const EnrollmentCode = z.object({ code: z.string(), expiresAt: Instant })
export const EnteredWorker = z.object({ name: z.string(), token: z.string(), expiresAt: MaybeInstant })
