import type { AuditActor, AuditDetail } from '../../domain/audit'
import { AppError } from '../../domain/errors'
import type { UserKey } from '../../domain/ids'
import type { TokenRow } from '../../domain/token/token-store'
import { foldLogin, OWN_CODE_MS, USER_CODE_MS, USER_LOGIN_MS } from '../../domain/user/user'
import type { UserRow } from '../../domain/user/user-store'
import { newCode, readCode } from '../../util/typed-code'
import { addLine, recordAct } from '../audit/record-act'
import { presentUser } from '../tokens/find-user'
import { checkRoom, mayGiveAccess, type TokenUnit } from '../tokens/token-unit'
import { hashOf, newToken, newTokenId } from '../unit/secrets'
import { nameOf } from '../unit/unit'

/** What a browser keeps of a login. */
export interface MadeLogin {
  /** The person's; `null` = the operator. */
  name: string | null
  /** The cookie's value. */
  secret: string
  /** ISO 8601. */
  until: string
}

/**
 * Makes a code by which one browser logs in as a person. Its giver is known, and the login ends with the giver: an admin could use the code
 * before the person does.
 *
 * @param typed  left out: the caller itself
 * @throws `forbidden` `not_found` `too_large`
 */
export async function makeCode(
  unit: TokenUnit,
  typed?: string,
): Promise<{ name: string | null; code: string; expiresAt: string }> {
  const madeBy = await mayGiveAccess(unit)
  const isOwn = typed === undefined
  if (isOwn && unit.caller.kind === 'operator' && unit.caller.user === undefined) return await makeOperatorCode(unit)
  const user = await presentUser(unit, typed ?? nameOf(unit.caller))
  await checkRoom(unit)
  const code = newCode(unit.random)
  const codeExpiresAt = unit.now + (isOwn ? OWN_CODE_MS : USER_CODE_MS)
  const row = {
    ...loginOf(unit, user),
    codeHash: hashOf(readCode(code)),
    codeExpiresAt,
    expiresAt: codeExpiresAt,
    madeBy,
  }
  await unit.tokens.insert(row)
  await unit.feed('token.updated', { tokenId: row.id, what: 'created', by: nameOf(unit.caller) })
  await recordAct(unit, isOwn ? 'login.code' : 'user.code', { target: user.name })
  return { name: user.name, code, expiresAt: new Date(codeExpiresAt).toISOString() }
}

/** What ended on the way is removed: no list shows it, and nothing was made with it. */
async function makeOperatorCode(unit: TokenUnit): Promise<{ name: null; code: string; expiresAt: string }> {
  await unit.tokens.removeOperatorLogins(unit.now)
  const code = newCode(unit.random)
  const expiresAt = unit.now + OWN_CODE_MS
  await unit.tokens.insert({
    ...loginOf(unit, { key: null, name: 'operator' }),
    codeHash: hashOf(readCode(code)),
    codeExpiresAt: expiresAt,
    expiresAt,
  })
  await recordAct(unit, 'login.code')
  return { name: null, code, expiresAt: new Date(expiresAt).toISOString() }
}

/** Uses a code up. @throws `unauthorized` it is none, was used, or is too old */
export async function enterByCode(unit: TokenUnit, code: string, peer: string | null): Promise<MadeLogin> {
  const row = await unit.tokens.byCode(hashOf(readCode(code)))
  const isGood = row?.purpose === 'browser' && row.revokedAt === null && (row.codeExpiresAt ?? 0) > unit.now
  if (row === undefined || !isGood) throw wrongCode()
  const user = row.userKey === null ? null : await unit.users.byKey(row.userKey)
  if (user === undefined || (user !== null && user.removedAt !== null)) throw wrongCode()
  const { token: secret, hash } = newToken('lub', unit.random)
  const expiresAt = unit.now + USER_LOGIN_MS
  await unit.tokens.update(row.key, { tokenHash: hash, codeHash: null, codeExpiresAt: null, expiresAt })
  return await entered(unit, user, { secret, expiresAt }, peer, 'code')
}

/**
 * Lets in the person that a provider names. Only people who were added get in.
 *
 * @param logins  the subject, and the e-mail address where the provider has verified it
 * @throws `forbidden` none of them is a person's
 */
export async function enterByLogin(
  unit: TokenUnit,
  logins: readonly string[],
  peer: string | null,
): Promise<MadeLogin> {
  const user = await userOf(unit, logins)
  if (user === undefined)
    throw new AppError('forbidden', 'Nobody was added with this login.', {
      hint: "An admin may add you: 'lode user add NAME --role ROLE --login EMAIL'.",
    })
  await checkRoom(unit)
  const { token: secret, hash } = newToken('lub', unit.random)
  const expiresAt = unit.now + USER_LOGIN_MS
  await unit.tokens.insert({ ...loginOf(unit, user), tokenHash: hash, expiresAt })
  return await entered(unit, user, { secret, expiresAt }, peer, 'provider')
}

async function userOf(unit: TokenUnit, logins: readonly string[]): Promise<UserRow | undefined> {
  for (const login of logins) {
    const user = await unit.users.byLogin(foldLogin(login))
    if (user !== undefined) return user
  }
  return undefined
}

/** Logs a browser out. What it gave others stays: the person has lost no right. */
export async function leave(unit: TokenUnit, secret: string, peer: string | null): Promise<void> {
  const row = await unit.tokens.byToken(hashOf(secret))
  if (row?.purpose !== 'browser' || row.revokedAt !== null) return
  const user = row.userKey === null ? null : await unit.users.byKey(row.userKey)
  if (user === undefined) return
  if (user === null) {
    await unit.tokens.update(row.key, { revokedAt: unit.now, expiresAt: unit.now })
    const operator: AuditActor = { kind: 'operator', name: null, peer }
    return await addLine(unit.audit, unit.now, { act: 'login.leave', actor: operator, target: null, detail: {} })
  }
  await unit.tokens.update(row.key, { revokedAt: unit.now })
  await unit.feed('token.updated', { tokenId: row.id, what: 'revoked', by: user.name })
  const actor: AuditActor = { kind: user.role, name: user.name, peer }
  await addLine(unit.audit, unit.now, { act: 'login.leave', actor, target: user.name, detail: {} })
}

const loginOf = (unit: TokenUnit, { key, name }: { key: UserKey | null; name: string }) =>
  ({
    id: newTokenId(unit.random),
    purpose: 'browser',
    name,
    userKey: key,
    createdAt: unit.now,
  }) satisfies Partial<TokenRow>

async function entered(
  unit: TokenUnit,
  user: UserRow | null,
  { secret, expiresAt }: { secret: string; expiresAt: number },
  peer: string | null,
  by: 'code' | 'provider',
): Promise<MadeLogin> {
  const actor: AuditActor = { kind: user?.role ?? 'nobody', name: user?.name ?? null, peer }
  const detail: AuditDetail = user === null ? {} : { by }
  await addLine(unit.audit, unit.now, { act: 'login.enter', actor, target: user?.name ?? null, detail })
  return { name: user?.name ?? null, secret, until: new Date(expiresAt).toISOString() }
}

const wrongCode = () =>
  new AppError('unauthorized', 'This login code is wrong, already used or too old.', {
    hint: "Run 'lode open' to get another one, or ask an admin for one ('lode user code NAME'). Each code is valid once.",
  })
