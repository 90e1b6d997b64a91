import { isProvenGone, readServerProcess, type ServerProcess } from '../../util/process/server-process'

/**
 * Knows whether leases can't end because the only server that could end them is proven to be gone.
 *
 * The proof: the answers come from the server of an embedded database; it wrote itself into Lodeline's folder of this worker (so both
 * have the same folder, machine and pid namespace); it, and whoever wrote itself there since, is no process any more. A server that starts
 * writes itself there before it ends any lease, and gives each its full length first. So no lease can end before one more full length
 * has passed since the moment just before the look.
 *
 * A server that does not answer, a pid of another container, another machine, or PostgreSQL behind it: no proof.
 */
export class ServerProof {
  readonly #home: string
  #instance: string | null = null
  #server: ServerProcess | null = null

  /** @param home  Lodeline's folder of this worker */
  constructor(home: string) {
    this.#home = home
  }

  /** An acknowledged poll came from this process: `PollAnswer.serverInstance`. */
  noteInstance(instance: string | null): void {
    if (instance === this.#instance && (instance === null || this.#server !== null)) return
    this.#instance = instance
    this.#server = null
    if (instance === null) return
    // It may answer a moment before it has written itself there: then the next answer finds it.
    const found = readServerProcess(this.#home)
    this.#server = typeof found === 'string' || found.instance !== instance ? null : found
  }

  isGone(): boolean {
    if (this.#server === null) return false
    const found = readServerProcess(this.#home)
    if (found === 'unknown') return false
    return isProvenGone(this.#server) && (found === 'none' || isProvenGone(found))
  }
}
