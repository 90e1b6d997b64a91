import type { UserKey } from '../ids'
import type { Awaitable, Sparse } from '../port'
import type { User, UserRole } from './user'

/** A person as it is kept. Times are milliseconds. Rows stay when a person is removed, so that nobody gets the name again. */
export interface UserRow {
  key: UserKey
  name: string
  /** What no other row has. See `foldName`. */
  fold: string
  role: UserRole
  /** Unique among present people. See `foldLogin`. */
  login: string | null
  addedBy: string
  createdAt: number
  removedAt: number | null
}
export type NewUser = Sparse<Omit<UserRow, 'key'>>

/** The write port of people, inside a unit of work. */
export interface UserTx {
  /** @throws `conflict` somebody has or had the name, or has the login */
  insert(row: NewUser): Awaitable<void>
  /** Whoever has or had this name. */
  byFold(fold: string): Awaitable<UserRow | undefined>
  byKey(key: UserKey): Awaitable<UserRow | undefined>
  /** The person with this login. */
  byLogin(login: string): Awaitable<UserRow | undefined>
  countPresent(): Awaitable<number>
  update(key: UserKey, patch: Partial<Pick<UserRow, 'role' | 'login' | 'removedAt'>>): Awaitable<void>
}

/** Reads of people, on connections of their own. */
export interface UserReads {
  /** All people, by name. */
  list(): Promise<User[]>
  /** Whether anybody is there. */
  hasAny(): Promise<boolean>
}
