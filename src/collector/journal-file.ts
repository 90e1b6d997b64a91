import type { Stats } from 'node:fs'
import { lstatEither } from '../util/files/packed-file'

/** What a file looked like: as long as this stays the same, so does its content. */
export interface Snapshot {
  size: number
  inode: number
  /** `ctime` in milliseconds: unlike `mtime`, no program can set it back. */
  changedAt: number
  /**
   * The last change was so close to this look that another one may carry the same time (clocks of filesystems tick in
   * milliseconds to seconds): look once more.
   */
  isFresh: boolean
  /** Number of the scan that last found the file. */
  scan: number
}

/** The coarsest clock of a filesystem in use (FAT: 2 s). */
const COARSEST_CLOCK_MS = 2_000

/** @param now  the clock just before the look */
export function snapshotOf(stats: Stats, now: number, scan: number): Snapshot {
  return {
    size: stats.size,
    inode: stats.ino,
    changedAt: stats.ctimeMs,
    isFresh: Math.abs(now - stats.ctimeMs) < COARSEST_CLOCK_MS,
    scan,
  }
}

export function isSameFile(a: Snapshot, b: Snapshot): boolean {
  return a.size === b.size && a.inode === b.inode && a.changedAt === b.changedAt
}

/**
 * Looks at a path, or the packed form of its file, without following a link.
 * @returns its stats; `missing` when there is nothing, or something else than a regular file; `unreadable` when the system won't say.
 */
export async function statFile(path: string): Promise<Stats | 'missing' | 'unreadable'> {
  try {
    const stats = await lstatEither(path)
    return stats.isFile() ? stats : 'missing'
  } catch (error) {
    return isAbsence(error) ? 'missing' : 'unreadable'
  }
}

/** The system says that the path leads to nothing, and not merely that we may not look. */
export function isAbsence(error: unknown): boolean {
  const code = errorCode(error)
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG' || code === 'ELOOP'
}

export function errorCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
}
