import { AppError } from '../../domain/errors'
import type { TokenKey } from '../../domain/ids'
import type { Store } from '../../domain/store'
import { TOKEN_LIMITS, TOKEN_SPAN_MS } from '../../domain/token/token'
import type { TokenTx } from '../../domain/token/token-store'
import type { UserTx } from '../../domain/user/user-store'
import { randomBytes } from '../../util/crypto'
import { handleMail } from '../tasks/runs/handle-mail'
import { inWriteUnit, type OwnHost, type TaskParts, type Unit } from '../unit/unit'

/** A unit of work that sees tokens and people too. */
export interface TokenUnit extends Unit {
  readonly tokens: TokenTx
  readonly users: UserTx
}

export const inTokenUnit = <T>(
  parts: TaskParts,
  caller: Unit['caller'],
  work: (unit: TokenUnit) => Promise<T>,
): Promise<T> => inWriteUnit(parts, caller, (unit, tx) => work({ ...unit, tokens: tx.tokens, users: tx.users }))

export interface TokenServiceOptions {
  store: Store
  /** Milliseconds; default the unit's own time. */
  now?: (() => number) | undefined
  /** So many unpredictable bytes; default the system's. */
  random?: (bytes: number) => Uint8Array
  /** The server's machine; default none. */
  followedRoots?: () => OwnHost
}

export const partsOf = ({ store, now, random, followedRoots }: TokenServiceOptions): TaskParts => ({
  store,
  now,
  random: random ?? randomBytes,
  followedRoots: followedRoots ?? (() => ({ hostName: '', roots: [] })),
  handleMail,
})

/**
 * Units that give access and units that end it go on one after the other: what an admin gives while another ends the admin's own access is
 * either seen and ended with it, or refused. The audit log's head is their lock, since each of them writes a line.
 *
 * @returns the token by which a person calls, which makes what is given end with that person's rights; `null` = the operator calls
 * @throws `forbidden` · `unauthorized` the caller is no admin any more
 */
export async function mayGiveAccess(unit: TokenUnit): Promise<TokenKey | null> {
  const { caller } = unit
  if (caller.kind !== 'operator')
    throw new AppError('forbidden', 'Only an operator or an admin may give and end access.')
  await unit.audit.head()
  if (caller.user === undefined) return null
  const token = caller.tokenId === undefined ? undefined : await unit.tokens.find(caller.tokenId)
  const user = await unit.users.byKey(caller.user.key)
  if (token?.revokedAt === null && user?.removedAt === null && user.role === 'admin') return token.key
  throw new AppError('unauthorized', `${caller.user.name} is not an admin any more; nothing was changed.`)
}

/** @throws `too_large` */
export async function checkRoom(unit: TokenUnit): Promise<void> {
  if ((await unit.tokens.countOpen()) < TOKEN_LIMITS.open) return
  throw new AppError('too_large', `There are already ${TOKEN_LIMITS.open} tokens and enrollments, the maximum.`, {
    hint: "Revoke some with 'lode token revoke' or 'lode worker revoke'.",
    details: { limit: TOKEN_LIMITS.open, unit: 'tokens' },
  })
}

/** When a token of this span ends, in milliseconds; `null` = never. @throws `invalid` */
export function endOfSpan(unit: Unit, expiresInMs: number | undefined): number | null {
  if (expiresInMs === undefined) return null
  if (expiresInMs >= TOKEN_SPAN_MS.least && expiresInMs <= TOKEN_SPAN_MS.most) return unit.now + expiresInMs
  throw new AppError('invalid', 'A token must last for at least a minute and at most ten years.', {
    details: { field: 'expiresInMs' },
  })
}
