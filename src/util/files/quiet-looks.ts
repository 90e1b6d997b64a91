import { closeSync, openSync, readdirSync, readSync } from 'node:fs'
import { headOfPacked, lookAt } from './packed-file'

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
export const modifiedAt = (path: string): number => lookAt(path)?.mtimeMs ?? 0

/** The first bytes of a file, at most this many; of a packed one what these unpack to. */
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
    return headOfPacked(path, bytes) ?? new Uint8Array()
  }
}
