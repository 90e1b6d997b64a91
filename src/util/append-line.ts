import { closeSync, constants, fdatasyncSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Appends one line durably, in one write, beside any number of other processes that do the same.
 *
 * A line that another writer could only begin (disk full) is closed with a newline first, so the new one is never glued to it.
 * When this write is cut short, the line is tried once more, whole.
 *
 * @param line  ends with a newline and holds no other.
 * @returns `false` when the file lost its name meanwhile (it was removed): the caller looks for the right file and tries again.
 * @throws the system's error when the file can't be opened or written.
 */
export function appendLine(path: string, line: Uint8Array): boolean {
  const file = openForAppend(path)
  try {
    const { size } = fstatSync(file)
    const isWhole = writeLine(file, line, hasOpenLine(file))
    if (!isWhole && !writeLine(file, line, true)) throw new Error(`short write to ${path}`)
    fdatasyncSync(file)
    if (size === 0) syncFolder(dirname(path))
    return fstatSync(file).nlink > 0
  } finally {
    closeSync(file)
  }
}

function openForAppend(path: string): number {
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDWR } = constants
  // O_NONBLOCK: a named pipe in the file's place must not hang the caller; it means nothing for a regular file.
  const file = openSync(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600)
  if (fstatSync(file).isFile()) return file
  closeSync(file)
  throw new Error(`${path} is not a regular file`)
}

function writeLine(file: number, line: Uint8Array, beginsWithNewline: boolean): boolean {
  const bytes = beginsWithNewline ? Buffer.concat([NEWLINE, line]) : line
  return writeSync(file, bytes, 0, bytes.length, null) === bytes.length
}

const NEWLINE = Uint8Array.of(0x0a)

/**
 * Whether the file ends in a line that its writer will not finish. A write under way shows in parts to a reader (its size
 * grows page by page), so an open end counts only once it has stood still for a moment.
 */
function hasOpenLine(file: number): boolean {
  let { size } = fstatSync(file)
  for (let look = 0; look < 10 && size > 0 && !endsWithNewline(file, size); look++) {
    Bun.sleepSync(1)
    const before = size
    size = fstatSync(file).size
    if (size === before) return true
  }
  return false
}

function endsWithNewline(file: number, size: number): boolean {
  const last = new Uint8Array(1)
  return readSync(file, last, 0, 1, size - 1) === 1 && last[0] === 0x0a
}

/** Makes a new file's name survive power loss; not every system allows it on a folder. */
function syncFolder(path: string): void {
  try {
    const folder = openSync(path, constants.O_RDONLY)
    try {
      fsyncSync(folder)
    } finally {
      closeSync(folder)
    }
  } catch {
    // The line itself is safe; only a crash right now could lose the name.
  }
}
