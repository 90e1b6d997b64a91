import type { RunEvent } from '../../../domain/harness/harness-run'
import { idOf, type JsonRecord } from '../../json-lines/json-value'

/** What a run left at work beside its main thread. */
export class Background {
  readonly #agents = new Set<string>()
  readonly #shells = new Set<string>()
  #isChanged = false

  /** Another thread works, or rests. */
  agent(thread: string, isActive: boolean): void {
    this.#set(this.#agents, thread, isActive)
  }

  /** A command began, or ended: one that outlives its turn is left in the background. */
  command(item: JsonRecord, isOpen: boolean): void {
    const id = idOf(item.id)
    if (item.type === 'commandExecution' && id !== undefined) this.#set(this.#shells, id, isOpen)
  }

  /** The turn was cut off: commands that were to begin, which the CLI tells nothing more of, do not. The run ends with all that did. */
  cut(): RunEvent[] {
    for (const id of [...this.#shells]) this.#set(this.#shells, id, false)
    return this.take()
  }

  /** What there is to tell. */
  take(): RunEvent[] {
    if (!this.#isChanged) return []
    this.#isChanged = false
    return [{ kind: 'background', agents: [...this.#agents], shells: [...this.#shells] }]
  }

  #set(set: Set<string>, id: string, isThere: boolean): void {
    if (set.has(id) === isThere) return
    if (isThere) set.add(id)
    else set.delete(id)
    this.#isChanged = true
  }
}
