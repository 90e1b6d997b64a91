import { closeSync, constants, fstatSync, fsync, openSync, readSync, writeSync } from 'node:fs'

const NOTHING = new Uint8Array()
/** What the disk does not take is kept in memory up to this size; then the CLI has to wait. */
const MAX_WAITING_BYTES = 16 * 2 ** 20
const RETRY_MS = 250

/**
 * Every byte of a run's output, in a file, before anything is understood or sent. Appended without waiting for the disk: a crash of
 * this process loses nothing, and against a power loss the agent's own transcript stands. While the disk is full it is kept in memory.
 */
export class Spool {
  readonly #fd: number
  readonly #onStuck: (error: unknown) => void
  /** Bytes of the file. */
  #written: number
  /** What comes behind them, once the disk takes it. */
  #waiting: Uint8Array = NOTHING
  #retry: Timer | undefined
  #moved = Promise.withResolvers<void>()
  #isOpen = true

  /**
   * Opens or makes the file; what it holds already stays.
   *
   * @param onStuck  told why the disk takes no more, once until it has taken everything
   */
  constructor(path: string, onStuck: (error: unknown) => void = () => {}) {
    this.#fd = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW, 0o600)
    this.#written = fstatSync(this.#fd).size
    this.#onStuck = onStuck
  }

  get size(): number {
    return this.#written + this.#waiting.length
  }

  /** Never throws. */
  append(bytes: Uint8Array): void {
    this.#waiting = this.#waiting.length === 0 ? bytes : Buffer.concat([this.#waiting, bytes])
    if (this.#retry === undefined) this.#write()
  }

  /** Resolves when there is room for more; at once as a rule. */
  async room(): Promise<void> {
    while (this.#isOpen && this.#waiting.length > MAX_WAITING_BYTES) await this.#moved.promise
  }

  #write(): void {
    try {
      while (this.#waiting.length > 0) {
        const length = writeSync(this.#fd, this.#waiting)
        this.#written += length
        this.#waiting = length === this.#waiting.length ? NOTHING : this.#waiting.subarray(length)
      }
      if (this.#retry === undefined) return
      this.#retry = undefined
    } catch (error) {
      if (this.#retry === undefined) {
        this.#waiting = this.#waiting.slice()
        this.#onStuck(error)
      }
      this.#retry = setTimeout(() => this.#write(), RETRY_MS)
    }
    this.#moved.resolve()
    this.#moved = Promise.withResolvers()
  }

  /** At most `most` bytes from `offset` on. */
  read(offset: number, most: number): Uint8Array {
    const bytes = new Uint8Array(Math.max(0, Math.min(most, this.size - offset)))
    const inFile = Math.max(0, Math.min(bytes.length, this.#written - offset))
    let length = 0
    while (length < inFile) {
      const got = readSync(this.#fd, bytes, length, inFile - length, offset + length)
      if (got === 0) return bytes.subarray(0, length)
      length += got
    }
    const from = offset + inFile - this.#written
    bytes.set(this.#waiting.subarray(from, from + bytes.length - inFile), inFile)
    return bytes
  }

  /** Resolves when everything so far survives power loss. */
  sync(): Promise<void> {
    return new Promise((resolve, reject) => {
      fsync(this.#fd, (error) => (error === null ? resolve() : reject(error)))
    })
  }

  close(): void {
    if (this.#isOpen) closeSync(this.#fd)
    this.#isOpen = false
    clearTimeout(this.#retry)
    this.#moved.resolve()
  }
}
