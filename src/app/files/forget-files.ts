/** Takes a forgotten session out of this machine's files of Lodeline. */
import { closeSync, constants, fstatSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { AttemptId, SessionId } from '../../domain/ids'
import { blankLines } from '../../store/session/writes/session-forget'
import { readRange } from '../../util/files/file-window'
import { hookJournalFolder, listHookJournals } from '../../util/hook-journal'
import { handoffFiles } from '../hooks/handoff-files'
import { streamPath } from './kept-files'

/** Bytes of a hook journal that are looked at together; a longer line is looked at whole. */
const WINDOW_BYTES = 8 * 1_024 * 1_024
const NEWLINE = 0x0a

/**
 * Overwrites the session's lines in the hook journal with spaces: others append to it, so that no byte may move.
 *
 * @throws the system's error when a file can't be read or written
 */
export function blankHookJournals(home: string, session: SessionId): void {
  for (const { path } of listHookJournals(hookJournalFolder(home))) blankFile(path, session)
}

function blankFile(path: string, session: SessionId): void {
  const { O_NOFOLLOW, O_NONBLOCK, O_RDWR } = constants
  const fd = openIfThere(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK)
  // The collector removes old ones.
  if (fd === null) return
  try {
    const { size } = fstatSync(fd)
    let isChanged = false
    for (let from = 0, length = WINDOW_BYTES; from < size; ) {
      const bytes = Buffer.from(readRange(fd, from, Math.min(length, size - from)))
      const end = bytes.lastIndexOf(NEWLINE) + 1
      if (end === 0) {
        // What has no end yet is still being written.
        if (from + bytes.length >= size) break
        length *= 2
        continue
      }
      const lines = bytes.subarray(0, end)
      if (blankLines(lines, session)) {
        for (let done = 0; done < end; ) done += writeSync(fd, lines, done, end - done, from + done)
        isChanged = true
      }
      from += end
      length = WINDOW_BYTES
    }
    if (isChanged) fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

function openIfThere(path: string, flags: number): number | null {
  try {
    return openSync(path, flags)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** Removes what runs left in files: their output as it came, and their folders. */
export function removeRuns(home: string, attempts: readonly AttemptId[]): void {
  for (const attempt of attempts) {
    rmSync(streamPath(home, attempt), { force: true })
    rmSync(join(home, 'runs', attempt), { recursive: true, force: true })
  }
}

/** @returns how many hand-overs of the session were removed */
export const removeHandoffs = (home: string, session: SessionId): number => handoffFiles(home).forget(session)
