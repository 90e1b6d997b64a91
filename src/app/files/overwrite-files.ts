/** Overwrites bytes wherever they stand in the files of Lodeline's folder. */
import { closeSync, constants, fstatSync, fsyncSync, openSync, readdirSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** Bytes looked at together. */
const WINDOW_BYTES = 4 * 1_024 * 1_024
/** Files of the embedded database, which knows how to change its own. */
const DATABASE = /^lodeline\.db(?:-wal|-shm)?$/

/**
 * As many bytes as before, so that others may go on to append. Links are not followed.
 *
 * @param word  stands at the start of each place, `*` behind it
 * @returns the paths of the files that held the bytes
 * @throws the system's error when a file can't be read or written
 */
export function overwriteFiles(home: string, bytes: Uint8Array, word: string): string[] {
  const text = Buffer.from(word.padEnd(bytes.length, '*').slice(0, bytes.length), 'latin1')
  return filesBelow(home).filter((path) => overwriteFile(path, bytes, text))
}

function filesBelow(home: string): string[] {
  return readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !DATABASE.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
}

function overwriteFile(path: string, bytes: Uint8Array, text: Buffer): boolean {
  const fd = openIfThere(path)
  if (fd === null) return false
  try {
    const { size } = fstatSync(fd)
    const window = Buffer.alloc(WINDOW_BYTES + bytes.length)
    let isChanged = false
    // Windows overlap by the length of the secret, so that none lies between two.
    for (let from = 0; from < size; from += WINDOW_BYTES) {
      const read = readSync(fd, window, 0, window.length, from)
      for (let at = window.indexOf(bytes); at >= 0 && at + bytes.length <= read; at = window.indexOf(bytes, at + 1)) {
        writeSync(fd, text, 0, text.length, from + at)
        isChanged = true
      }
      window.fill(0)
    }
    if (isChanged) fsyncSync(fd)
    return isChanged
  } finally {
    closeSync(fd)
  }
}

function openIfThere(path: string): number | null {
  const { O_NOFOLLOW, O_NONBLOCK, O_RDWR } = constants
  try {
    return openSync(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
