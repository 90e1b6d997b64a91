import type { TokenUnit } from './token-unit'

/** After all times that a login may have. */
const EVER = Number.MAX_SAFE_INTEGER

/**
 * Makes known the token that an installation has, so that each server of the database takes it. A new one ends the logins of operators: a
 * holder of the former one may have made them.
 *
 * @returns `false`: it was ended, and the installation needs another one
 */
export async function knowOperatorToken(unit: TokenUnit, home: string, tokenHash: Uint8Array): Promise<boolean> {
  const known = await unit.tokens.operatorToken(tokenHash)
  if (known !== undefined && known.endedAt !== null) return false
  if (known?.home === home) return true
  const before = await unit.tokens.operatorTokenOf(home)
  if (before !== undefined) await endAll(unit, home)
  // A copy of another installation's token is good as long as that one is.
  if (known === undefined)
    await unit.tokens.insertOperatorToken({ tokenHash, home, createdAt: unit.now, endedAt: null })
  return true
}

/** One installation has another token: what any of them had counts no more, nor any login of an operator. */
export async function renewOperatorToken(unit: TokenUnit, home: string, tokenHash: Uint8Array): Promise<void> {
  await endAll(unit)
  await unit.tokens.insertOperatorToken({ tokenHash, home, createdAt: unit.now, endedAt: null })
}

async function endAll(unit: TokenUnit, home?: string): Promise<void> {
  await unit.tokens.endOperatorTokens(unit.now, home)
  await unit.tokens.removeOperatorLogins(EVER)
}
