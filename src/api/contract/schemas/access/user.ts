import * as z from 'zod/mini'
import { USER_ROLES } from '../../../../domain/user/user'
import { Instant, MaybeInstant, MaybeText } from '../scalars'

/** `addedBy`: `operator`, or an admin's name. `lastUsedAt` is exact to the minute. */
export const User = z.object({
  name: z.string(),
  role: z.enum(USER_ROLES),
  login: MaybeText,
  addedBy: z.string(),
  createdAt: Instant,
  lastUsedAt: MaybeInstant,
})
export const UserList = z.object({ users: z.array(User) })
export const OneUser = z.object({ user: User })
export const RemovedUser = z.object({ name: z.string() })
