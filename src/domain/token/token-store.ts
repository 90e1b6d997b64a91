import type { AgentId, TokenId } from '../ids'
import type { Awaitable, Sparse } from '../port'
import type { Enrollment, Token, TokenPurpose, TokenRole, TokenState } from './token'

/** A token as it is kept: hashes only. Times are milliseconds. */
export interface TokenRow {
  key: number
  id: TokenId
  purpose: TokenPurpose
  /** Whose it is; of `worker` the worker's name, which one row that is not revoked has. */
  name: string
  /** sha-256; `null` = its code was not used yet. */
  tokenHash: Uint8Array | null
  /** sha-256 of the code of an enrollment; `null` = it was used, or there was none. */
  codeHash: Uint8Array | null
  codeExpiresAt: number | null
  /** The worker's. */
  agentId: AgentId | null
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

/** A row of a person's or a program's token. */
export type GivenToken = TokenRow & { purpose: TokenRole }

/** The write port of tokens, inside a unit of work. */
export interface TokenTx {
  /** @throws `conflict` an enrollment of this worker is there */
  insert(row: NewToken): Awaitable<void>
  find(id: TokenId): Awaitable<TokenRow | undefined>
  /** The enrollment of a worker that is not revoked. */
  enrollment(worker: string): Awaitable<TokenRow | undefined>
  byCode(hash: Uint8Array): Awaitable<TokenRow | undefined>
  /** Those that are not revoked. */
  countOpen(): Awaitable<number>
  update(key: number, patch: Partial<Omit<TokenRow, 'key' | 'id' | 'createdAt' | 'purpose'>>): Awaitable<void>
}

/** Reads of tokens, on connections of their own. */
export interface TokenReads {
  byToken(hash: Uint8Array): Promise<TokenRow | undefined>
  /** The newest enrollment by which an agent joined; `undefined` = it joins with the operator's token. */
  enrollmentOf(agent: AgentId): Promise<TokenRow | undefined>
  /** Of people and programs, newest first. */
  list(now: number): Promise<Token[]>
  /** The newest of each worker, by name. */
  enrollments(now: number): Promise<Enrollment[]>
}
