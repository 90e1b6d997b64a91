import type { CallPart } from '../../domain/harness/translation'

/** What the providers' APIs take as the id of a call: the narrower of what two of them take. */
const CALL_ID = /^[A-Za-z0-9_-]{1,64}$/
const NAME_LIMIT = 64

/** Gives each call an id and a name that every provider takes. Ids stay as they are where they can. */
export class CallNames {
  readonly #used = new Set<string>()
  readonly #made = new Map<CallPart, string>()

  /** @param calls  of one conversation: ids that are kept are given to no other */
  constructor(calls: readonly CallPart[]) {
    for (const { id } of calls) if (CALL_ID.test(id)) this.#used.add(id)
  }

  idOf(call: CallPart): string {
    if (CALL_ID.test(call.id)) return call.id
    const made = this.#made.get(call) ?? this.#newId()
    this.#made.set(call, made)
    return made
  }

  #newId(): string {
    for (let number = this.#made.size + 1; ; number++) {
      const made = `call_${number}`
      if (this.#used.has(made)) continue
      this.#used.add(made)
      return made
    }
  }

  nameOf({ name }: CallPart): string {
    return name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, NAME_LIMIT) || 'tool'
  }
}

/** The result of a call when the record holds no answer. */
export const NO_ANSWER = 'No result was recorded: the run ended before the tool was done.'
