import { AppError } from '../../domain/errors'
import type { TokenId } from '../../domain/ids'
import { TOKEN_LIMITS, type Token, type TokenRole, USED_EVERY_MS } from '../../domain/token/token'
import { recordAct } from '../audit/record-act'
import { checkWord } from '../tasks/check-fields'
import { quoted } from '../unit/find-task'
import { newToken, newTokenId } from '../unit/secrets'
import { nameOf } from '../unit/unit'
import { checkRoom, endOfSpan, onlyOperator, type TokenUnit } from './token-unit'

export interface NewTokenInput {
  role: TokenRole
  /** Whose it is. */
  name: string
  /** Left out: it does not expire. */
  expiresInMs?: number | undefined
}

const PREFIXES = { viewer: 'lvw', operator: 'lop' } as const satisfies Record<TokenRole, string>

/** Makes a token of a person or a program. It leaves only here. @throws `forbidden` `invalid` `too_large` */
export async function giveToken(unit: TokenUnit, input: NewTokenInput): Promise<{ token: Token; secret: string }> {
  onlyOperator(unit)
  const name = checkWord('name', input.name)
  if (name.length > TOKEN_LIMITS.name)
    throw new AppError('too_large', `The name has more than ${TOKEN_LIMITS.name} characters.`)
  await checkRoom(unit)
  const expiresAt = endOfSpan(unit, input.expiresInMs)
  const { token: secret, hash } = newToken(PREFIXES[input.role], unit.random)
  const id = newTokenId(unit.random)
  const { role } = input
  await unit.tokens.insert({ id, purpose: role, name, tokenHash: hash, createdAt: unit.now, expiresAt })
  await unit.feed('token.updated', { tokenId: id, what: 'created', by: nameOf(unit.caller) })
  await recordAct(unit, 'token.create', { target: id, detail: { role, name } })
  const times = {
    createdAt: new Date(unit.now).toISOString(),
    lastUsedAt: null,
    expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
  }
  return { token: { id, role, name, state: 'active', ...times }, secret }
}

/** Ends a token of a person or a program. Said twice it is the same. @throws `forbidden` `not_found` */
export async function revokeToken(unit: TokenUnit, id: TokenId): Promise<void> {
  onlyOperator(unit)
  const row = await unit.tokens.find(id)
  if (row === undefined || row.purpose === 'worker')
    throw new AppError('not_found', `There is no token ${quoted(id)}.`, {
      hint: "Run 'lode token list' to see all tokens. To end a worker's access, run 'lode worker revoke NAME'.",
    })
  if (row.revokedAt !== null) return
  await unit.tokens.update(row.key, { revokedAt: unit.now })
  await unit.feed('token.updated', { tokenId: id, what: 'revoked', by: nameOf(unit.caller) })
  await recordAct(unit, 'token.revoke', { target: id })
}

/** Notes that the token was used, at most once a minute. */
export async function noteTokenUse(unit: TokenUnit, id: TokenId): Promise<void> {
  const row = await unit.tokens.find(id)
  if (row === undefined || (row.lastUsedAt !== null && unit.now - row.lastUsedAt < USED_EVERY_MS)) return
  await unit.tokens.update(row.key, { lastUsedAt: unit.now })
}
