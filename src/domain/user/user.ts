/** People that an operator or an admin added. Sentences call them people; `user` names them in commands, paths and tables. */
import type { UserKey } from '../ids'
import { DAY_MS } from '../time-units'

/**
 * What a person may do: look at everything; answer and stop as well; or do what the operator does and manage people. The table of rights
 * (`domain/access`) says what that is: an admin has the operator's column.
 */
export const USER_ROLES = ['viewer', 'approver', 'admin'] as const
export type UserRole = (typeof USER_ROLES)[number]

export const USER_LIMITS = Object.freeze({
  /** Characters of a name. */
  name: 100,
  /** Characters of an e-mail address or a subject. */
  login: 320,
  /** People who were not removed. */
  present: 1_000,
})

/** How long a code to log in works: another person receives it, and reads it later. */
export const USER_CODE_MS = DAY_MS
/** The same of a code that a person makes for itself (`lode open`). */
export const OWN_CODE_MS = 120_000
/** How long a person's browser stays logged in. */
export const USER_LOGIN_MS = 30 * DAY_MS

/** The author of an act, by a name that no other person ever has. */
export interface UserRef {
  key: UserKey
  name: string
}

/** A person, as the API gives it. Times are ISO 8601. */
export interface User {
  name: string
  role: UserRole
  /** By which the login of an OpenID provider is recognised: a verified e-mail address, or the subject. */
  login: string | null
  /** `operator`, or the admin. */
  addedBy: string
  createdAt: string
  /** When a token or a browser of this person was last used, exact to the minute; `null` = never. */
  lastUsedAt: string | null
}

/** Letters and digits of any script, and a few signs within: nothing that hides, breaks a line or turns the direction of text. */
const NAME = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} .'@+_-]*$/u
/** Words that stand for somebody else where names stand, and the forms of IDs. */
const TAKEN =
  /^(?:operator|system|viewer|approver|admin|lead|worker|attempt|run|agent|nobody|lodeline|rule|you|a person|person|[a-z]{1,2}-[0-9a-z]{8,}(?:\.\d+)?)$/

export type NameProblem = 'empty' | 'signs' | 'taken'

/** The one form of what is typed as a name: composed, and without spaces around it or next to one another. */
export const nameForm = (typed: string): string => typed.normalize('NFC').replace(/ +/g, ' ').trim()

/** What a name may not be. @param name  in its one form */
export function nameProblem(name: string): NameProblem | null {
  if (name === '') return 'empty'
  if (!NAME.test(name)) return 'signs'
  return TAKEN.test(foldName(name)) ? 'taken' : null
}

/** Two names with the same fold are one: large and small letters, and other forms of the same letters. */
export const foldName = (name: string): string => nameForm(name).normalize('NFKC').toLowerCase()

/** E-mail addresses are compared without regard to large and small letters, subjects as they are. */
export const foldLogin = (login: string): string => (login.includes('@') ? login.toLowerCase() : login)
