import { closeSync, fchmodSync, fstatSync, mkdirSync, openSync, renameSync, statSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

/** Limits of a rotating file. */
export interface RotatingFileOptions {
  path: string
  /** A line that would make the file larger than this many bytes begins a new one. */
  maxBytes: number
  /** How many old files stay, as `path.1` (the newest) to `path.N`; 1 or more. */
  keep: number
}

/**
 * A file that lines are appended to, in mode 0600, moved aside when it is full.
 *
 * Several processes may write to one path: each line is one append, and a process whose file was moved aside by another
 * one notices when that file is full, and goes on in the new one.
 */
export class RotatingFile {
  readonly #options: RotatingFileOptions
  #fd: number | undefined

  constructor(options: RotatingFileOptions) {
    this.#options = options
  }

  /**
   * Appends one line, which must end in a newline.
   *
   * @throws the system's error; the next call opens the file again.
   */
  append(line: string): void {
    const bytes = Buffer.from(line)
    try {
      this.#fd ??= this.#open()
      const { size, ino } = fstatSync(this.#fd)
      if (size > 0 && size + bytes.length > this.#options.maxBytes) this.#moveOn(ino)
      writeSync(this.#fd, bytes)
    } catch (error) {
      this.close()
      throw error
    }
  }

  /** Closes the file; a later `append` opens it again. */
  close(): void {
    if (this.#fd === undefined) return
    const fd = this.#fd
    this.#fd = undefined
    closeSync(fd)
  }

  #open(): number {
    mkdirSync(dirname(this.#options.path), { recursive: true, mode: 0o700 })
    const fd = openSync(this.#options.path, 'a', 0o600)
    // A file that an earlier, careless hand made readable.
    fchmodSync(fd, 0o600)
    return fd
  }

  #moveOn(inode: number): void {
    const { path, keep } = this.#options
    this.close()
    if (isFile(path, inode)) {
      for (let n = keep - 1; n >= 1; n--) renameIfThere(`${path}.${n}`, `${path}.${n + 1}`)
      renameIfThere(path, `${path}.1`)
    }
    this.#fd = this.#open()
  }
}

function isFile(path: string, inode: number): boolean {
  return statSync(path, { throwIfNoEntry: false })?.ino === inode
}

function renameIfThere(from: string, to: string): void {
  try {
    renameSync(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}
