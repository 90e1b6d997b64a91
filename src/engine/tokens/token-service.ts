import type { TokenId } from '../../domain/ids'
import type { Caller } from '../../domain/task/worker-protocol'
import type { TaskParts } from '../unit/unit'
import { SYSTEM } from '../unit/unit'
import { type EnterInput, enrollWorker, enterByCode, revokeWorker } from './enroll-worker'
import { giveToken, type NewTokenInput, noteTokenUse, revokeToken } from './give-token'
import { knowOperatorToken, renewOperatorToken } from './operator-tokens'
import { removeMachine } from './remove-machine'
import { type NewShareInput, revokeShare, shareSession } from './share-session'
import { inTokenUnit, partsOf, type TokenServiceOptions } from './token-unit'

/** The use cases of tokens over a store. It holds no state: several may run over one database. */
export const createTokenService = (options: TokenServiceOptions): TokenService => new TokenUseCases(partsOf(options))

class TokenUseCases {
  private readonly parts: TaskParts

  constructor(parts: TaskParts) {
    this.parts = parts
  }

  /** The secret is given once. */
  give(caller: Caller, input: NewTokenInput) {
    return inTokenUnit(this.parts, caller, (unit) => giveToken(unit, input))
  }

  revoke(caller: Caller, id: TokenId) {
    return inTokenUnit(this.parts, caller, (unit) => revokeToken(unit, id))
  }

  /** A link to a session; its secret is given once. */
  share(caller: Caller, input: NewShareInput) {
    return inTokenUnit(this.parts, caller, (unit) => shareSession(unit, input))
  }

  revokeShare(caller: Caller, id: TokenId) {
    return inTokenUnit(this.parts, caller, (unit) => revokeShare(unit, id))
  }

  /** The token was presented. Written at most once a minute. */
  noteUse(id: TokenId) {
    return inTokenUnit(this.parts, SYSTEM, (unit) => noteTokenUse(unit, id))
  }

  /** @returns `false`: this token was ended */
  knowOperator(home: string, tokenHash: string) {
    return inTokenUnit(this.parts, SYSTEM, (unit) => knowOperatorToken(unit, home, bytesOf(tokenHash)))
  }

  /** Ends the operators' tokens of all installations, and takes this one instead. */
  renewOperator(home: string, tokenHash: string) {
    return inTokenUnit(this.parts, SYSTEM, (unit) => renewOperatorToken(unit, home, bytesOf(tokenHash)))
  }

  enroll(caller: Caller, input: { name: string; expiresInMs?: number | undefined }) {
    return inTokenUnit(this.parts, caller, (unit) => enrollWorker(unit, input))
  }

  /** Whoever has the code is the machine that the operator meant. */
  enter(input: EnterInput) {
    return inTokenUnit(this.parts, SYSTEM, (unit) => enterByCode(unit, input, this.parts.followedRoots()))
  }

  revokeWorker(caller: Caller, name: string) {
    return inTokenUnit(this.parts, caller, (unit) => revokeWorker(unit, name))
  }

  removeMachine(caller: Caller, name: string) {
    return inTokenUnit(this.parts, caller, (unit) => removeMachine(unit, name))
  }
}

/** Arguments are JSON values. */
const bytesOf = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'))

/**
 * Every use case that writes tokens of people, programs and workers. Each is one unit of work; arguments and answers are JSON values.
 *
 * Errors all methods may throw: `not_found`, `conflict`, `invalid`, `too_large`, `forbidden`, `unauthorized`.
 */
export type TokenService = Pick<TokenUseCases, keyof TokenUseCases>
