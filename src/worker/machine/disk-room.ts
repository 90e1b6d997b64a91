import { statfsSync } from 'node:fs'
import type { Logger } from '../../util/log'

/** What a run leaves on the disk must fit, and what the server of this machine records of it. */
const MIN_FREE_BYTES = 64 * 2 ** 20
/** The same for its files: their names take inodes, which may be used up while there is space. */
const MIN_FREE_FILES = 1_000

interface FreeRoom {
  bytes: number
  /** Files that can still be made. */
  files: number
}

/**
 * Whether the disk of a worker's folder has room for another run. A run on a full disk fails, and a worker that goes on taking tasks there
 * fails one after the other.
 */
export class DiskRoom {
  readonly #folder: string
  readonly #log: Pick<Logger, 'info' | 'warn'>
  readonly #free: (folder: string) => FreeRoom
  #isFull = false

  /** @param free  what the disk of a folder has left for this user */
  constructor(folder: string, log: Pick<Logger, 'info' | 'warn'>, free = freeRoom) {
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
    const { bytes, files } = this.#free(this.#folder)
    const isFull = bytes < MIN_FREE_BYTES || files < MIN_FREE_FILES
    if (isFull === this.#isFull) return false
    this.#isFull = isFull
    const facts = { folder: this.#folder, bytes, files }
    if (isFull) this.#log.warn('the disk has less than 64 MiB or 1,000 files free: no task is taken', facts)
    else this.#log.info('the disk has room again: tasks are taken', facts)
    return true
  }
}

/** Where the system does not say, there is room. Some file systems make inodes as they need them, and count none. */
function freeRoom(folder: string): FreeRoom {
  try {
    const { bavail, bsize, files, ffree } = statfsSync(folder)
    return { bytes: bavail * bsize, files: files === 0 ? Number.POSITIVE_INFINITY : ffree }
  } catch {
    return { bytes: Number.POSITIVE_INFINITY, files: Number.POSITIVE_INFINITY }
  }
}
