import { sha256Hex } from '../crypto'
import type { FileWindow } from './file-window'

/** Bytes at a file's beginning and before an offset that tell whether two files agree up to there. */
const HEAD_BYTES = 1_024
const TAIL_BYTES = 4_096

/**
 * What names a file's first `offset` bytes: SHA-256 in hex of the first 1 KiB and the last 4 KiB of them.
 *
 * @returns `null` when the file has fewer
 */
export function prefixFingerprint(file: Pick<FileWindow, 'read'>, offset: number): string | null {
  const head = file.read(0, Math.min(HEAD_BYTES, offset))
  const tail = file.read(Math.max(0, offset - TAIL_BYTES), Math.min(TAIL_BYTES, offset))
  if (head.length < Math.min(HEAD_BYTES, offset) || tail.length < Math.min(TAIL_BYTES, offset)) return null
  return sha256Hex(head, tail)
}
