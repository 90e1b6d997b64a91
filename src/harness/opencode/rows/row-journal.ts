import { closeSync, constants, fstatSync, ftruncateSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { FORGOTTEN_JOURNAL } from '../../../domain/harness/harness-database'
import { headOfLine } from './row-line'

const WINDOW_BYTES = 1_024 * 1_024
const NEWLINE = 0x0a

/**
 * The journal of one conversation, and which versions of rows it has. It is its own memory: what is known after a restart is what stands in
 * it. Half a line, which a crash leaves, is cut off.
 */
export class RowJournal {
  readonly path: string
  /** Versions by `keyOf`. */
  readonly known = new Map<string, string>()
  isForgotten = false
  #size = 0

  private constructor(path: string) {
    this.path = path
  }

  /** Reads what is there already. @throws the system's error */
  static load(path: string): RowJournal {
    const journal = new RowJournal(path)
    const fd = open(path, constants.O_RDWR)
    if (fd === null) return journal
    try {
      journal.#read(fd)
    } finally {
      closeSync(fd)
    }
    return journal
  }

  /**
   * Appends whole lines.
   *
   * @returns `false` = the file is not as this journal left it: load it again
   * @throws the system's error; a part of the lines may be in the file then
   */
  append(lines: readonly string[]): boolean {
    mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 })
    const { O_APPEND, O_CREAT, O_WRONLY } = constants
    const fd = open(this.path, O_WRONLY | O_APPEND | O_CREAT)
    if (fd === null) return false
    try {
      if (fstatSync(fd).size !== this.#size) return false
      const bytes = Buffer.from(lines.join(''))
      for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done, bytes.length - done)
      this.#size += bytes.length
      for (const line of lines) this.#note(line)
      return true
    } finally {
      closeSync(fd)
    }
  }

  #read(fd: number): void {
    const { size } = fstatSync(fd)
    const window = Buffer.alloc(Math.min(WINDOW_BYTES, Math.max(size, 1)))
    let rest = Buffer.alloc(0)
    let whole = 0
    for (let at = 0; at < size; ) {
      const read = readSync(fd, window, 0, window.length, at)
      if (read === 0) break
      at += read
      const bytes = Buffer.concat([rest, window.subarray(0, read)])
      let start = 0
      for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
        // Keys and versions stand within the first bytes.
        this.#note(bytes.toString('utf8', start, Math.min(end + 1, start + 1_000)))
        start = end + 1
      }
      whole += start
      rest = bytes.subarray(start)
    }
    if (rest.length > 0) ftruncateSync(fd, whole)
    this.#size = whole
  }

  #note(line: string): void {
    if (line === FORGOTTEN_JOURNAL) this.isForgotten = true
    const head = headOfLine(line)
    if (head !== null) this.known.set(head.key, head.version)
  }
}

function open(path: string, flags: number): number | null {
  try {
    return openSync(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
