import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

/** As much of the end of a file is looked at, in bytes. */
const MOST_BYTES = 8 << 20

/** The last lines of a file, the newest last; none where there is no file. */
export function newestLines(file: string, count: number): string[] {
  let fd: number
  try {
    fd = openSync(file, 'r')
  } catch {
    return []
  }
  try {
    const { size } = fstatSync(fd)
    const bytes = Buffer.alloc(Math.min(size, MOST_BYTES))
    const read = readSync(fd, bytes, 0, bytes.length, size - bytes.length)
    const lines = bytes.toString('utf8', 0, read).split('\n')
    // The end of the last line begins no further one; a first line that is cut is none.
    if (lines.at(-1) === '') lines.pop()
    if (size > bytes.length) lines.shift()
    return lines.slice(-count)
  } finally {
    closeSync(fd)
  }
}
