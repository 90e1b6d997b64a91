import { isAppError } from '../../domain/errors'
import { Backoff, pause } from '../link/backoff'
import type { Spool } from './spool'

export interface SpoolUploaderOptions {
  spool: Spool
  /** Sends bytes; gives where the next ones belong. `conflict` carries `details.offset`. */
  send(offset: number, bytes: Uint8Array): Promise<{ offset: number }>
  /** Where the server stands; unknown = it is asked. */
  offset?: number
  /** The server will never take it. */
  onRefused(error: unknown): void
}

/** Bytes of one request; the server takes 4 MiB. */
const BATCH_BYTES = 1 << 20
/** How long a batch waits for more lines: they come in bursts. */
const GATHER_MS = 100

/**
 * Brings a spool to the server in order, from where the server stands, for as long as it takes. Bytes that were taken and whose
 * answer was lost are not stored twice: the server says where it stands.
 */
export class SpoolUploader {
  readonly #options: SpoolUploaderOptions
  readonly #backoff = new Backoff()
  readonly #stopped = new AbortController()
  #offset: number | null
  #running: Promise<void> | null = null
  #isRefused = false
  readonly #hurry = new AbortController()
  #urgent = new AbortController()

  constructor(options: SpoolUploaderOptions) {
    this.#options = options
    this.#offset = options.offset ?? null
  }

  /** The server may stand elsewhere now: it is asked again. */
  askAgain(): void {
    this.#offset = null
    this.#isRefused = false
    this.wake()
  }

  /** There is more. */
  wake(): void {
    if (this.#stopped.signal.aborted || this.#isRefused) return
    this.#running ??= this.#run().finally(() => {
      this.#running = null
    })
  }

  /** What there is goes at once. */
  flush(): void {
    if (this.#isDone()) return
    this.#urgent.abort()
    this.wake()
  }

  /** Resolves with true when the server has all of it, false when it can't be brought there (refused, stopped). */
  async drain(): Promise<boolean> {
    this.#hurry.abort()
    while (!this.#isDone()) {
      if (this.#stopped.signal.aborted || this.#isRefused) return false
      this.wake()
      await this.#running
    }
    return true
  }

  /** Sends nothing more. */
  async stop(): Promise<void> {
    this.#stopped.abort()
    await this.#running
  }

  #isDone(): boolean {
    return this.#offset !== null && this.#offset >= this.#options.spool.size
  }

  async #run(): Promise<void> {
    if (!this.#hurry.signal.aborted)
      await pause(GATHER_MS, AbortSignal.any([this.#hurry.signal, this.#urgent.signal, this.#stopped.signal]))
    this.#urgent = new AbortController()
    while (!this.#isDone() && !this.#stopped.signal.aborted && !this.#isRefused) await this.#sendOne()
  }

  async #sendOne(): Promise<void> {
    const { spool, send } = this.#options
    // Asking with no bytes at the end: the server answers with where it stands.
    const from = this.#offset ?? spool.size
    const bytes = this.#offset === null ? new Uint8Array(0) : spool.read(from, BATCH_BYTES)
    try {
      const { offset } = await send(from, bytes)
      this.#offset = Math.min(offset, spool.size)
      this.#backoff.reset()
    } catch (error) {
      const standsAt = offsetOf(error)
      if (standsAt !== null && standsAt <= spool.size && standsAt !== this.#offset) this.#offset = standsAt
      else if (isPassing(error)) await pause(this.#backoff.next(), this.#stopped.signal)
      else {
        this.#isRefused = true
        this.#options.onRefused(error)
      }
    }
  }
}

function offsetOf(error: unknown): number | null {
  const offset = isAppError(error) && error.code === 'conflict' ? error.details?.offset : undefined
  return typeof offset === 'number' && Number.isSafeInteger(offset) && offset >= 0 ? offset : null
}

/** Trying again may work: the server is away, busy or out of space, or its answer was not understood. */
export function isPassing(error: unknown): boolean {
  if (!isAppError(error)) return true
  return ['unavailable', 'storage_full', 'storage_readonly', 'internal'].includes(error.code)
}
