import type { AgentId, SessionId, TokenId, TokenKey, UserKey } from '../ids'
import type { Awaitable, Sparse } from '../port'
import type { UserRole } from '../user/user'
import type { Share, SharedPart } from './share'
import type { Enrollment, Token, TokenPurpose, TokenState } from './token'

/** A token as it is kept: hashes only. Times are milliseconds. */
export interface TokenRow {
  key: TokenKey
  id: TokenId
  purpose: TokenPurpose
  /** The owner; for `worker`, the worker's name, which only one valid row has. */
  name: string
  /** sha-256; `null` = its code was not used yet. */
  tokenHash: Uint8Array | null
  /** sha-256 of the code of an enrollment or of a person's login; `null` = it was used, or there was none. */
  codeHash: Uint8Array | null
  codeExpiresAt: number | null
  /** The worker's. */
  agentId: AgentId | null
  /** The person whose it is, of `user` and `browser`. */
  userKey: UserKey | null
  /** The person's token by which it was made: it ends with the rights of that person. `null` = the operator's, or nobody's. */
  madeBy: TokenKey | null
  /** What a link shows: `null` = it is no link. @see SharedPart */
  sharedSession: SessionId | null
  sharedFrom: number | null
  sharedUntil: number | null
  /** The other session of a comparison. Its first has no turns then, so that a program that knows no comparisons shows none. */
  sharedBeside: SessionId | null
  createdAt: number
  lastUsedAt: number | null
  expiresAt: number | null
  revokedAt: number | null
}
export type NewToken = Sparse<Omit<TokenRow, 'key'>>

/** Whether it counts now, and why not. */
export function tokenState(row: Pick<TokenRow, 'expiresAt' | 'revokedAt'>, now: number): TokenState {
  if (row.revokedAt !== null) return 'revoked'
  return row.expiresAt !== null && row.expiresAt <= now ? 'expired' : 'active'
}

/** The same of an enrollment, whose code may be unused; one that is too old is of no more use than an expired token. */
export function enrollmentState(
  row: Pick<TokenRow, 'expiresAt' | 'revokedAt' | 'tokenHash' | 'codeExpiresAt'>,
  now: number,
): Enrollment['state'] {
  if (row.revokedAt !== null || row.tokenHash !== null) return tokenState(row, now)
  return row.codeExpiresAt !== null && row.codeExpiresAt <= now ? 'expired' : 'waiting'
}

/** What a link shows; `null` = it is no link. */
export const sharedPart = ({
  sharedSession,
  sharedFrom,
  sharedUntil,
  sharedBeside,
}: Pick<TokenRow, 'sharedSession' | 'sharedFrom' | 'sharedUntil' | 'sharedBeside'>): SharedPart | null =>
  sharedSession === null || sharedFrom === null || sharedUntil === null
    ? null
    : { sessionId: sharedSession, from: sharedFrom, until: sharedUntil, besideId: sharedBeside }

/** A row of a person's or a program's token. */
export type GivenToken = TokenRow & { purpose: Exclude<TokenPurpose, 'worker' | 'share'> }

/** A token with the person whose it is, as that person is now; `null` = it is nobody's of those who were added. */
export interface OwnedToken extends TokenRow {
  owner: { name: string; role: UserRole; isRemoved: boolean } | null
}

/** What says which token was made by which. */
export type TokenKin = Pick<TokenRow, 'key' | 'purpose' | 'userKey' | 'madeBy' | 'revokedAt'>

/** The token of an installation: its holder is the operator at each server of the database. */
export interface OperatorToken {
  /** sha-256. */
  tokenHash: Uint8Array
  /** Which installation has it. */
  home: string
  createdAt: number
  /** `null` = it counts. */
  endedAt: number | null
}

/** The write port of tokens, inside a unit of work. */
export interface TokenTx {
  /** @throws `conflict` an enrollment of this worker is there */
  insert(row: NewToken): Awaitable<void>
  find(id: TokenId): Awaitable<TokenRow | undefined>
  byKey(key: TokenKey): Awaitable<TokenRow | undefined>
  /** All tokens, the ended ones as well. */
  kin(): Awaitable<TokenKin[]>
  /** The enrollment of a worker that is not revoked. */
  enrollment(worker: string): Awaitable<TokenRow | undefined>
  byCode(hash: Uint8Array): Awaitable<TokenRow | undefined>
  byToken(hash: Uint8Array): Awaitable<TokenRow | undefined>
  /** Those that are not revoked, without the logins of operators and links to sessions. */
  countOpen(): Awaitable<number>
  /** Links to sessions that count now. */
  countShares(now: number): Awaitable<number>
  /** Removes links to sessions that ended before `until`. */
  removeShares(until: number): Awaitable<void>
  /** Removes logins of operators, and codes for them: those that end before `until`. */
  removeOperatorLogins(until: number): Awaitable<void>
  operatorToken(hash: Uint8Array): Awaitable<OperatorToken | undefined>
  /** @returns the token of an installation that counts now */
  operatorTokenOf(home: string): Awaitable<OperatorToken | undefined>
  insertOperatorToken(row: OperatorToken): Awaitable<void>
  /** @param home  left out: of all installations */
  endOperatorTokens(now: number, home?: string): Awaitable<void>
  update(key: TokenKey, patch: Partial<Omit<TokenRow, 'key' | 'id' | 'createdAt' | 'purpose'>>): Awaitable<void>
}

/** Reads of tokens, on connections of their own. */
export interface TokenReads {
  byToken(hash: Uint8Array): Promise<OwnedToken | undefined>
  /** Whether it is the token of an installation that counts now. */
  isOperatorToken(hash: Uint8Array): Promise<boolean>
  /** Tokens of people and programs, newest first. */
  list(now: number): Promise<Token[]>
  /** Links to sessions, newest first. */
  shares(now: number): Promise<Share[]>
  /** The newest of each worker, by name. */
  enrollments(now: number): Promise<Enrollment[]>
}
