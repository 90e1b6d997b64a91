import { AppError } from '../../domain/errors'
import type { TokenId } from '../../domain/ids'
import { TOKEN_LIMITS, type Token, type TokenRole, USED_EVERY_MS } from '../../domain/token/token'
import type { UserRow } from '../../domain/user/user-store'
import { recordAct } from '../audit/record-act'
import { checkWord } from '../tasks/check-fields'
import { quoted } from '../unit/find-task'
import { newToken, newTokenId } from '../unit/secrets'
import { nameOf } from '../unit/unit'
import { endTokens } from './end-tokens'
import { presentUser } from './find-user'
import { checkRoom, endOfSpan, mayGiveAccess, type TokenUnit } from './token-unit'

export interface NewTokenInput {
  /** What a program may do with it; a person's token has the person's role. */
  role?: TokenRole | undefined
  /** The person whose it is. One of `role` and `user`. */
  user?: string | undefined
  /** The owner's name, or what a person uses it for; default: the person's name. */
  name?: string | undefined
  /** Left out: it does not expire. */
  expiresInMs?: number | undefined
}

const PREFIXES = { viewer: 'lvw', operator: 'lop', user: 'lus' } as const satisfies Record<TokenRole | 'user', string>

/** Makes a token of a person or a program. It leaves only here. @throws `forbidden` `invalid` `too_large` */
export async function giveToken(unit: TokenUnit, input: NewTokenInput): Promise<{ token: Token; secret: string }> {
  const madeBy = await mayGiveAccess(unit)
  const user = input.user === undefined ? undefined : await presentUser(unit, input.user)
  const { purpose, role } = checkUse(input, user)
  const name = checkWord('name', input.name ?? user?.name ?? '')
  if (name.length > TOKEN_LIMITS.name)
    throw new AppError('too_large', `The name has more than ${TOKEN_LIMITS.name} characters.`)
  await checkRoom(unit)
  const expiresAt = endOfSpan(unit, input.expiresInMs)
  const { token: secret, hash } = newToken(PREFIXES[purpose], unit.random)
  const id = newTokenId(unit.random)
  const userKey = user?.key ?? null
  await unit.tokens.insert({ id, purpose, name, tokenHash: hash, createdAt: unit.now, expiresAt, userKey, madeBy })
  await unit.feed('token.updated', { tokenId: id, what: 'created', by: nameOf(unit.caller) })
  await recordAct(unit, 'token.create', { target: id, detail: { role, name, ...(user && { user: user.name }) } })
  const times = {
    createdAt: new Date(unit.now).toISOString(),
    lastUsedAt: null,
    expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
  }
  return { token: { id, role, name, state: 'active', ...times }, secret }
}

/** @throws `invalid` neither a role nor a person, or both */
function checkUse({ role }: NewTokenInput, user: UserRow | undefined) {
  if (user !== undefined && role === undefined) return { purpose: 'user', role: user.role } as const
  if (user === undefined && role !== undefined) return { purpose: role, role } as const
  throw new AppError('invalid', 'A token has either a role or a person whose role it has.', {
    hint: 'Give role for a program, or user for a person.',
    details: { field: 'role' },
  })
}

/** Ends a token of a person or a program, and what was made with it. Said twice it is the same. @throws `forbidden` `not_found` */
export async function revokeToken(unit: TokenUnit, id: TokenId): Promise<void> {
  await mayGiveAccess(unit)
  const row = await unit.tokens.find(id)
  if (row === undefined || row.purpose === 'worker' || row.purpose === 'browser' || row.purpose === 'share')
    throw new AppError('not_found', `There is no token ${quoted(id)}.`, {
      hint: "Run 'lode token list' to see all tokens. To end a worker's access, run 'lode worker revoke NAME'.",
    })
  if (row.revokedAt !== null) return
  await endTokens(unit, ({ key }) => key === row.key)
  await recordAct(unit, 'token.revoke', { target: id })
}

/** Notes that the token was used, at most once a minute. */
export async function noteTokenUse(unit: TokenUnit, id: TokenId): Promise<void> {
  const row = await unit.tokens.find(id)
  if (row === undefined || (row.lastUsedAt !== null && unit.now - row.lastUsedAt < USED_EVERY_MS)) return
  await unit.tokens.update(row.key, { lastUsedAt: unit.now })
}
