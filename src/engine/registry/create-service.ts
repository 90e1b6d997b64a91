import { randomBytes } from 'node:crypto'
import type { Store } from '../../domain/store'
import { lookAfterMail } from '../tasks/look-at-mail'
import { inUnit, type TaskParts, type Unit } from '../tasks/unit'
import { attachClient, detachClient } from './attach'
import { mayRegister, newWebAddress, registerOnce, sessionAddress, updateRegistration } from './register'
import type { RegistryService } from './registry-service'
import { checkedResume, resumeAsTask } from './resume'

export interface RegistryServiceOptions {
  store: Store
  /** Milliseconds; default the unit's own time (the database's on PostgreSQL). */
  now?: () => number
  random?: (bytes: number) => Uint8Array
  /** As of `TaskServiceOptions`. */
  hasFolder?: boolean | undefined
}

/** The use cases of the registry over a store. It holds no state: several may run over one database. */
export function createRegistryService(options: RegistryServiceOptions): RegistryService {
  const parts: TaskParts = {
    store: options.store,
    now: options.now,
    random: options.random ?? randomBytes,
    followedRoots: () => ({ hostName: '', roots: [] }),
    lookAfter: lookAfterMail,
    hasFolder: options.hasFolder,
  }
  const asOperator = <T>(caller: Unit['caller'], work: (unit: Unit) => Promise<T>): Promise<T> =>
    inUnit(parts, caller, async (unit) => {
      mayRegister(unit)
      return await work(unit)
    })
  return {
    async register(caller, id, input, key) {
      const fresh = newWebAddress(parts.random)
      return await asOperator(caller, (unit) => registerOnce(unit, { id, fresh, input, key }))
    },
    update: (caller, id, input) =>
      asOperator(caller, async (unit) => await updateRegistration(unit, await sessionAddress(unit, id), input)),
    attach: (caller, id, input) => asOperator(caller, (unit) => attachClient(unit, id, input)),
    detach: (caller, id, which) => asOperator(caller, (unit) => detachClient(unit, id, which)),
    async resume(caller, session, input) {
      const checked = checkedResume(input)
      return await asOperator(caller, (unit) => resumeAsTask(unit, session, input, checked))
    },
  }
}
