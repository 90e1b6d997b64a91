/** Tokens that an operator gives out: to people and programs, and to workers of other machines. */
import type { TokenId } from '../ids'
import { DAY_MS, MINUTE_MS } from '../time-units'
import { USER_ROLES, type UserRole } from '../user/user'

/** What a person or a program may do with a token: look at everything, or do what the operator does. */
export const TOKEN_ROLES = ['viewer', 'operator'] as const
export type TokenRole = (typeof TOKEN_ROLES)[number]
/** Roles that a list of tokens shows. */
export const SHOWN_ROLES = [...new Set([...TOKEN_ROLES, ...USER_ROLES])] as [TokenRole | UserRole]

/**
 * What a token is for: a role; `worker`: its machine's worker may join with it; `user`: a person's programs, with the rights that the person
 * has at that moment; `browser`: a person's login; `share`: a link that shows one session, and is no login.
 */
export type TokenPurpose = TokenRole | 'worker' | 'user' | 'browser' | 'share'

export const TOKEN_STATES = ['active', 'expired', 'revoked'] as const
export type TokenState = (typeof TOKEN_STATES)[number]

/** `waiting`: its code was not used yet. */
export const ENROLLMENT_STATES = ['waiting', ...TOKEN_STATES] as const
export type EnrollmentState = (typeof ENROLLMENT_STATES)[number]

export const TOKEN_LIMITS = Object.freeze({
  /** Characters of an owner's name. */
  name: 100,
  /** Tokens and enrollments that are not revoked. */
  open: 1_000,
  /** Rows of a list. */
  shown: 1_000,
})

/** How long a token may last, in milliseconds: a minute to ten years. */
export const TOKEN_SPAN_MS = Object.freeze({ least: MINUTE_MS, most: 3_652 * DAY_MS })

/** How long the code of an enrollment works. */
export const ENROLL_CODE_MS = 10 * MINUTE_MS

/** The last use is not written more often than this. */
export const USED_EVERY_MS = MINUTE_MS

/** A token of a person or a program. Times are ISO 8601. */
export interface Token {
  id: TokenId
  /** A person's token only: the role that the person has now. */
  role: TokenRole | UserRole
  /** The owner. */
  name: string
  state: TokenState
  createdAt: string
  /** Exact to the minute; `null` = never. */
  lastUsedAt: string | null
  /** `null` = never. */
  expiresAt: string | null
}

/** The access of a worker on another machine. Times are ISO 8601. */
export interface Enrollment {
  /** The worker's. */
  name: string
  state: EnrollmentState
  /** Hostname of the machine that used the code. */
  host: string | null
  createdAt: string
  /** When the worker was last heard of. */
  lastUsedAt: string | null
  /** When its code ends while it waits, else when its token ends; `null` = never. */
  expiresAt: string | null
}
