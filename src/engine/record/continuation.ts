import type { CloseReason, IncarnationState } from '../../domain/record/record-store'
import type { FileWindow } from '../../util/files/file-window'
import { fingerprint } from '../../util/files/fingerprint'

/** Bytes at the start of a file that must stay the same for it to be the same incarnation. */
export const HEAD_BYTES = 1_024
/** Bytes before the stored end that must stay the same. */
export const TAIL_BYTES = 4_096

export type Continuation =
  | { goesOn: true }
  /** Same start and end, another inode: the same bytes under a new name (a copy, a restored backup), or not. */
  | { goesOn: 'if_equal' }
  | { goesOn: false; reason: CloseReason }

/** Whether the file still is what was stored. Transcripts are not append-only (docs/architecture/recording.md). */
export function continuation(stored: IncarnationState, file: FileWindow): Continuation {
  if (file.size < stored.size) return { goesOn: false, reason: 'truncated' }
  const isSameInode = stored.inode === file.inode
  const isSameText = matches(stored.headHash, file, 0, stored.headLength) && isSameTail(stored, file)
  if (!isSameText) return { goesOn: false, reason: isSameInode ? 'rewritten' : 'replaced' }
  return isSameInode ? { goesOn: true } : { goesOn: 'if_equal' }
}

const isSameTail = (stored: IncarnationState, file: FileWindow): boolean =>
  matches(stored.tailHash, file, stored.size - stored.tailLength, stored.tailLength)

function matches(hash: Uint8Array | null, file: FileWindow, offset: number, length: number): boolean {
  if (length === 0) return true
  const bytes = file.read(offset, length)
  return bytes.length === length && hash !== null && Buffer.from(fingerprint(bytes)).equals(hash)
}
