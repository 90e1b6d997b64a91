import { closeSync, constants, fstatSync, fsync, openSync, readSync, writeSync } from 'node:fs'

/**
 * Every byte of a run's output, in a file, before anything is understood or sent. Appended without waiting for the disk: a crash of
 * this process loses nothing, and against a power loss the agent's own transcript stands.
 */
export class Spool {
  readonly #fd: number
  #size: number
  #isOpen = true

  /** Opens or makes the file; what it holds already stays. */
  constructor(path: string) {
    this.#fd = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW, 0o600)
    this.#size = fstatSync(this.#fd).size
  }

  get size(): number {
    return this.#size
  }

  append(bytes: Uint8Array): void {
    for (let from = 0; from < bytes.length; ) from += writeSync(this.#fd, bytes, from, bytes.length - from)
    this.#size += bytes.length
  }

  /** At most `most` bytes from `offset` on. */
  read(offset: number, most: number): Uint8Array {
    const bytes = new Uint8Array(Math.max(0, Math.min(most, this.#size - offset)))
    let length = 0
    while (length < bytes.length) {
      const got = readSync(this.#fd, bytes, length, bytes.length - length, offset + length)
      if (got === 0) break
      length += got
    }
    return bytes.subarray(0, length)
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
  }
}
