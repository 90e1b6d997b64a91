import type { Address, SessionId, TaskKey } from '../../domain/ids'
import type { Attachment, Registration } from '../../domain/registry'
import type { Store } from '../../domain/store'
import type { Task } from '../../domain/task/task'
import type { Caller } from '../../domain/task/worker-protocol'
import { randomBytes } from '../../util/crypto'
import { handleMail } from '../tasks/runs/handle-mail'
import { oncePerKey, repeatKey } from '../unit/repeat'
import { inUnit, type TaskParts, type Unit } from '../unit/unit'
import { attachClient, detachClient } from './attach'
import { mayRegister, newWebAddress, registerOnce, sessionAddress, updateRegistration } from './register'
import type { AttachClient, AttachedClient, RegisterSession, ResumeAsTask } from './registry-inputs'
import { checkedResume, resumeAsTask } from './resume'

export interface RegistryServiceOptions {
  store: Store
  /** Milliseconds; default the unit's own time (the database's on PostgreSQL). */
  now?: () => number
  random?: (bytes: number) => Uint8Array
  /** As of `TaskServiceOptions`. */
  hasFolder?: boolean | undefined
}

/**
 * Every use case of the registry: which client is at which address. Each is one unit of work. Arguments and answers are JSON values.
 *
 * Only an operator's token registers, attaches and resumes. A worker is its agent and a run its task: neither can say that it is a
 * conversation of somebody.
 *
 * Errors all methods may throw: `forbidden`, `invalid`, `too_large`, `not_found`, `conflict`.
 */
export interface RegistryService {
  /**
   * Registers a client's conversation. Without `id` it is one of a client that has none of its own: it gets `websession-` and 12 of
   * `0-9a-z`. An id that is an alias registers the address that it belongs to.
   *
   * @throws `conflict` a run is in that conversation: its address is its task
   */
  register(
    caller: Caller,
    id: string | null,
    input: RegisterSession,
    idempotencyKey: string | null,
  ): Promise<{ registration: Registration; isNew: boolean }>
  /** Makes or changes the registration of this address. `resumedAs`: the client goes on with it under this new id. */
  update(
    caller: Caller,
    id: string,
    input: RegisterSession & { resumedAs?: string | undefined },
  ): Promise<{ registration: Registration; isNew: boolean }>
  /** @throws `not_found` nobody is known at the address · `too_large` too many are attached */
  attach(caller: Caller, id: string, input: AttachClient): Promise<AttachedClient>
  /** @param which  the attachment's id, or how the client named itself. @throws `not_found` it is not attached there */
  detach(
    caller: Caller,
    id: string,
    which: { attachmentId: string } | AttachClient,
  ): Promise<{ address: Address; others: Attachment[] }>
  /**
   * Makes a task whose first attempt resumes this conversation. Nobody gets its result: its receiver would be itself. The same key again is
   * the same task.
   *
   * @throws `conflict` a run is in that conversation now
   */
  resume(caller: Caller, session: SessionId, input: ResumeAsTask, key: string | null): Promise<Task>
}

/** The use cases of the registry over a store. It holds no state: several may run over one database. */
export function createRegistryService(options: RegistryServiceOptions): RegistryService {
  const parts: TaskParts = {
    store: options.store,
    now: options.now,
    random: options.random ?? randomBytes,
    followedRoots: () => ({ hostName: '', roots: [] }),
    handleMail,
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
    async resume(caller, session, input, key) {
      const checked = checkedResume(input)
      const repeat = repeatKey(key, { ...input, session })
      return await asOperator(caller, async (unit) => {
        const { answer } = await oncePerKey(unit, 'sessions.resume', repeat, async () =>
          JSON.stringify(await resumeAsTask(unit, session, input, checked)),
        )
        return await unit.tasks.shown(JSON.parse(answer) as TaskKey)
      })
    },
  }
}
