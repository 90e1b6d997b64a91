import type { Caller } from '../../domain/task/worker-protocol'
import { inTokenUnit, partsOf, type TokenServiceOptions } from '../tokens/token-unit'
import type { TaskParts } from '../unit/unit'
import { SYSTEM } from '../unit/unit'
import { enterByCode, enterByLogin, leave, makeCode } from './logins'
import { addUser, type EditUserInput, editUser, type NewUserInput, removeUser } from './manage-users'

/** The use cases of people over a store. It holds no state: several may run over one database. */
export const createUserService = (options: TokenServiceOptions): UserService => new UserUseCases(partsOf(options))

class UserUseCases {
  private readonly parts: TaskParts

  constructor(parts: TaskParts) {
    this.parts = parts
  }

  add(caller: Caller, input: NewUserInput) {
    return inTokenUnit(this.parts, caller, (unit) => addUser(unit, input))
  }

  edit(caller: Caller, name: string, input: EditUserInput) {
    return inTokenUnit(this.parts, caller, (unit) => editUser(unit, name, input))
  }

  remove(caller: Caller, name: string) {
    return inTokenUnit(this.parts, caller, (unit) => removeUser(unit, name))
  }

  /** The code is given once. @param name  left out: the caller itself */
  makeCode(caller: Caller, name?: string) {
    return inTokenUnit(this.parts, caller, (unit) => makeCode(unit, name))
  }

  /** @param peer  the network address that the request came from, for the audit log */
  enter(code: string, peer: string | null) {
    return inTokenUnit(this.parts, SYSTEM, (unit) => enterByCode(unit, code, peer))
  }

  /** @param logins  of a provider that was asked, and proved what it says */
  enterBy(logins: readonly string[], peer: string | null) {
    return inTokenUnit(this.parts, SYSTEM, (unit) => enterByLogin(unit, logins, peer))
  }

  /** @param secret  the cookie's value */
  leave(secret: string, peer: string | null) {
    return inTokenUnit(this.parts, SYSTEM, (unit) => leave(unit, secret, peer))
  }
}

/**
 * Every use case that writes people and their logins. Each is one unit of work; arguments and answers are JSON values.
 *
 * Errors all methods may throw: `not_found`, `conflict`, `invalid`, `too_large`, `forbidden`, `unauthorized`.
 */
export type UserService = Pick<UserUseCases, keyof UserUseCases>
