import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs'

/** Looks at a disk that changes meanwhile: what can't be read is not there. */

/** Names in a folder, sorted. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch {
    return []
  }
}

/** Milliseconds since the epoch; 0 = not there. */
export function modifiedAt(path: string): number {
  try {
    return statSync(path).mtimeMs
  } catch {
    return 0
  }
}

/** The first bytes of a file, at most so many. */
export function headOf(path: string, bytes: number): Uint8Array {
  try {
    const fd = openSync(path, 'r')
    try {
      const head = Buffer.alloc(bytes)
      return head.subarray(0, readSync(fd, head, 0, bytes, 0))
    } finally {
      closeSync(fd)
    }
  } catch {
    return new Uint8Array()
  }
}
