import { closeSync, constants, openSync } from 'node:fs'
import { unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DAY_MS } from '../domain/time-units'
import { hookJournalName, listHookJournals } from '../util/hook-journal'
import { errorCode } from './journal-file'

const DEFAULT_ROTATE_BYTES = 64 * 1024 * 1024
const DEFAULT_KEEP_MS = DAY_MS

/**
 * Begins the next file of the hook journal when the present one is large: hook processes append to the highest number.
 *
 * Nothing is renamed and no writer is informed, so there is nothing to race with: a writer that chose its file just before appends to one
 * that is still followed. Two collectors may do this at once; one of them makes the file.
 */
export function rotateHookJournal(path: string, size: number, rotateBytes = DEFAULT_ROTATE_BYTES): void {
  if (size < rotateBytes) return
  const folder = dirname(path)
  const newest = listHookJournals(folder).at(-1)
  if (newest?.path !== path) return
  const { O_CREAT, O_EXCL, O_WRONLY } = constants
  try {
    closeSync(openSync(join(folder, hookJournalName(newest.number + 1)), O_WRONLY | O_CREAT | O_EXCL, 0o600))
  } catch (error) {
    // A full disk or another collector: the present file goes on being used, and the next recording tries again.
    if (errorCode(error) === null) throw error
  }
}

/**
 * Removes old files of the hook journal, never the newest.
 *
 * @param isDone  whether a file is wholly recorded and has not changed for `keepMs`: far longer than a hook process lives, so
 *                that none still holds the file open. One that does (a stopped process) sees that the file has lost its name.
 */
export async function removeOldHookJournals(
  folder: string,
  isDone: (path: string, keepMs: number) => Promise<boolean>,
  keepMs = DEFAULT_KEEP_MS,
): Promise<void> {
  for (const { path } of listHookJournals(folder).slice(0, -1)) {
    if (await isDone(path, keepMs)) await unlink(path).catch(() => {})
  }
}
