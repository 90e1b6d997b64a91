import { statfsSync } from 'node:fs'
import type { Logger } from '../../util/log'

/** What a run leaves on the disk must fit, and what the server of this machine records of it. */
const MIN_FREE_BYTES = 64 * 2 ** 20

/**
 * Whether the disk of a worker's folder has room for another run. A run on a full disk fails, and a worker that goes on taking tasks there
 * fails one after the other.
 */
export class DiskRoom {
  readonly #folder: string
  readonly #log: Pick<Logger, 'info' | 'warn'>
  readonly #free: (folder: string) => number
  #isFull = false

  /** @param free  bytes that the disk of a folder has for this user */
  constructor(folder: string, log: Pick<Logger, 'info' | 'warn'>, free = freeBytes) {
    this.#folder = folder
    this.#log = log
    this.#free = free
    this.look()
  }

  /** As of the last look. */
  get isFull(): boolean {
    return this.#isFull
  }

  /** Asks the disk; the log says when that changes. @returns whether it has changed */
  look(): boolean {
    const isFull = this.#free(this.#folder) < MIN_FREE_BYTES
    if (isFull === this.#isFull) return false
    this.#isFull = isFull
    const facts = { folder: this.#folder }
    if (isFull) this.#log.warn('the disk has less than 64 MiB free: no task is taken', facts)
    else this.#log.info('the disk has room again: tasks are taken', facts)
    return true
  }
}

/** Where nobody can tell, there is room. */
function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
