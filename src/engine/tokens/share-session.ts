import { AppError } from '../../domain/errors'
import type { TokenId } from '../../domain/ids'
import { SHARE_LIMITS, SHARE_SPAN_MS, type Share, type SharedPart } from '../../domain/token/share'
import { recordAct } from '../audit/record-act'
import { quoted } from '../unit/find-task'
import { newToken, newTokenId } from '../unit/secrets'
import { nameOf } from '../unit/unit'
import { endTokens } from './end-tokens'
import { mayGiveAccess, type TokenUnit } from './token-unit'

export interface NewShareInput extends Omit<SharedPart, 'besideId'> {
  /** Left out: none. */
  besideId?: SharedPart['besideId']
  /** Milliseconds; left out: a week. */
  expiresInMs?: number | undefined
}

/** Makes a link that shows a part of one session until it expires. Its secret leaves only here. @throws `forbidden` `invalid` `too_large` */
export async function shareSession(
  unit: TokenUnit,
  { sessionId, besideId = null, expiresInMs = SHARE_SPAN_MS.default, ...turns }: NewShareInput,
): Promise<{ share: Share; secret: string }> {
  const madeBy = await mayGiveAccess(unit)
  if (expiresInMs < SHARE_SPAN_MS.least || expiresInMs > SHARE_SPAN_MS.most)
    throw new AppError('invalid', 'A link must last for at least a minute and at most 90 days.', {
      details: { field: 'expiresInMs' },
    })
  await unit.tokens.removeShares(unit.now - SHARE_LIMITS.keptMs)
  if ((await unit.tokens.countShares(unit.now)) >= SHARE_LIMITS.open)
    throw new AppError('too_large', `There are already ${SHARE_LIMITS.open} links to sessions, the maximum.`, {
      hint: "Revoke some with 'lode share revoke'.",
      details: { limit: SHARE_LIMITS.open, unit: 'shares' },
    })
  const { token: secret, hash } = newToken('lsh', unit.random)
  const id = newTokenId(unit.random)
  const expiresAt = unit.now + expiresInMs
  const { from, until } = besideId === null ? turns : { from: 0, until: 0 }
  const part = { sharedSession: sessionId, sharedFrom: from, sharedUntil: until, sharedBeside: besideId }
  const times = { createdAt: unit.now, expiresAt }
  await unit.tokens.insert({ id, purpose: 'share', name: '', tokenHash: hash, madeBy, ...part, ...times })
  await unit.feed('token.updated', { tokenId: id, what: 'created', by: nameOf(unit.caller) })
  await recordAct(unit, 'share.create', { target: sessionId, detail: { share: id, from, until, beside: besideId } })
  const shown = { createdAt: new Date(unit.now).toISOString(), expiresAt: new Date(expiresAt).toISOString() }
  return { share: { id, sessionId, from, until, besideId, state: 'active', lastUsedAt: null, ...shown }, secret }
}

/** Ends a link. Said twice it is the same. @throws `forbidden` `not_found` */
export async function revokeShare(unit: TokenUnit, id: TokenId): Promise<void> {
  await mayGiveAccess(unit)
  const row = await unit.tokens.find(id)
  if (row?.purpose !== 'share')
    throw new AppError('not_found', `There is no link ${quoted(id)}.`, {
      hint: "Run 'lode share list' to see all links to sessions.",
    })
  if (row.revokedAt !== null) return
  await endTokens(unit, ({ key }) => key === row.key)
  await recordAct(unit, 'share.revoke', { target: row.sharedSession, detail: { share: id } })
}
