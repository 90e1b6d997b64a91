import type { TokenKey } from '../../domain/ids'
import type { TokenKin } from '../../domain/token/token-store'
import { nameOf } from '../unit/unit'
import { endEnrollment } from './enroll-worker'
import type { TokenUnit } from './token-unit'

/**
 * Ends tokens, and what was made with them, and with that in turn: tokens, logins and codes that were not used yet, and the access of
 * workers. A person who logged out or whose login is too old has not lost a right, so that what was made by an ended token is looked at too.
 *
 * @param isEnded  the tokens to begin with
 * @param isKept   tokens that go on although what made them ends
 */
export async function endTokens(
  unit: TokenUnit,
  isEnded: (token: TokenKin) => boolean,
  isKept: (token: TokenKin) => boolean = () => false,
): Promise<void> {
  for (const key of withDescendants(await unit.tokens.kin(), isEnded, isKept)) await endOne(unit, key)
}

async function endOne(unit: TokenUnit, key: TokenKey): Promise<void> {
  const row = await unit.tokens.byKey(key)
  if (row === undefined || row.revokedAt !== null) return
  if (row.purpose === 'worker') return await endEnrollment(unit, row)
  await unit.tokens.update(key, { revokedAt: unit.now, codeHash: null })
  await unit.feed('token.updated', { tokenId: row.id, what: 'revoked', by: nameOf(unit.caller) })
}

/** Those that end, and all that was made with any of them, whether it counts still or not. */
export function withDescendants(
  kin: readonly TokenKin[],
  isEnded: (token: TokenKin) => boolean,
  isKept: (token: TokenKin) => boolean,
): TokenKey[] {
  const made = Map.groupBy(kin, ({ madeBy }) => madeBy)
  const passed = new Set<TokenKey>()
  const ended: TokenKey[] = []
  const next = kin.filter(isEnded)
  for (let token = next.pop(); token !== undefined; token = next.pop()) {
    if (passed.has(token.key)) continue
    passed.add(token.key)
    if (!isKept(token)) ended.push(token.key)
    next.push(...(made.get(token.key) ?? []))
  }
  return ended
}
