/** What is behind the tokens that an operator gave out, and why one counts no more. */
import { AppError } from '../../../domain/errors'
import type { Store } from '../../../domain/store'
import type { AgentRow, PresentedAgent } from '../../../domain/task/task-store'
import { USED_EVERY_MS } from '../../../domain/token/token'
import {
  type GivenToken,
  type OwnedToken,
  type TokenReads,
  type TokenRow,
  tokenState,
} from '../../../domain/token/token-store'
import type { Services } from '../../../engine/services'

/** @returns `undefined` = nobody's @throws `unauthorized` it was revoked, or is too old */
export async function givenToken(
  tokens: Pick<TokenReads, 'byToken'>,
  hash: Uint8Array,
  now: number,
): Promise<(GivenToken & OwnedToken) | undefined> {
  const row = await tokens.byToken(hash)
  if (row === undefined || !isGiven(row) || row.purpose === 'browser') return undefined
  if (row.owner?.isRemoved === true) return undefined
  mustCount(
    row,
    now,
    `The token of ${row.owner?.name ?? row.name}`,
    "Ask the server's operator for another one ('lode token create').",
  )
  return row
}

const isGiven = <Row extends TokenRow>(row: Row): row is Row & GivenToken =>
  row.purpose !== 'worker' && row.purpose !== 'share'

/** Whether it is a person's login that counts now; a token of the person's programs is none. */
export const isLogin = (row: OwnedToken, now: number): row is GivenToken & OwnedToken =>
  row.purpose === 'browser' && row.owner?.isRemoved === false && tokenState(row, now) === 'active'

/** Whether it is a login of an operator's browser that counts now. */
export const isOperatorLogin = (row: OwnedToken, now: number): boolean =>
  row.purpose === 'browser' && row.userKey === null && tokenState(row, now) === 'active'

/** The worker whose machine keeps this token. @throws `unauthorized` it was revoked, or is too old */
export async function joiningAgent(
  { tasks, tokens }: Pick<Store, 'tasks' | 'tokens'>,
  hash: Uint8Array,
  now: number,
): Promise<AgentRow | undefined> {
  const row = await tokens.byToken(hash)
  if (row === undefined || row.purpose !== 'worker' || row.agentId === null) return undefined
  mustCount(row, now, `The access of the worker ${row.name}`, enrollHint(row.name))
  return await tasks.agentRow(row.agentId)
}

/** The process of an enrolled worker is let in for as long as its machine is. @throws `unauthorized` */
export function mustBeEnrolled({ agent: { name }, enrollment }: PresentedAgent, now: number): void {
  // What was revoked took the token of the process with it: this one joined afterwards, with the operator's.
  if (enrollment !== null && enrollment.revokedAt === null)
    mustCount(enrollment, now, `The access of the worker ${name}`, enrollHint(name))
}

const enrollHint = (name: string): string =>
  `An operator may let it in again: 'lode worker enroll ${name}' prints a code for 'lode work --server URL --code CODE'.`

function mustCount(row: Pick<TokenRow, 'expiresAt' | 'revokedAt'>, now: number, what: string, hint: string): void {
  const state = tokenState(row, now)
  const at = state === 'revoked' ? row.revokedAt : state === 'expired' ? row.expiresAt : null
  if (at === null) return
  const verb = state === 'revoked' ? 'was revoked' : 'ended'
  throw new AppError('unauthorized', `${what} ${verb} on ${new Date(at).toISOString().slice(0, 10)}.`, { hint })
}

/** Has the use of a token written, at most once a minute. A failure delays no request, and the next use tries again. */
export function noteUse(given: GivenToken | null, { tokens }: Pick<Services, 'tokens'>, now: number): void {
  if (given === null || (given.lastUsedAt !== null && now - given.lastUsedAt < USED_EVERY_MS)) return
  tokens.noteUse(given.id).catch(() => {})
}
