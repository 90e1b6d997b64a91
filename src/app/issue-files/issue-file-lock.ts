/** One process at a time reads and writes a file of issues. */
import { closeSync, constants, openSync, unlinkSync } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { AppError } from '../../domain/errors'
import { type ProcessLock, tryProcessLock } from '../../util/process/process-lock'
import { fileError } from './issue-file'

const LOCK_WAIT_MS = 5_000

/**
 * Runs `work` while no other process of ours reads and writes this file. The lock is a file beside it that is gone afterwards; the
 * system frees it when the process dies.
 *
 * @throws `unavailable`  another process held it for longer than `waitMs`
 */
export async function withIssueFileLock<T>(
  path: string,
  work: () => Promise<T>,
  waitMs: number = LOCK_WAIT_MS,
): Promise<T> {
  const lockPath = join(dirname(path), `.${basename(path)}.lock`)
  const lock = await takeLock(lockPath, waitMs)
  try {
    return await work()
  } finally {
    // Removed while it is held: a process that waits on the removed file notices and starts again.
    unlinkQuietly(lockPath)
    lock.release()
  }
}

async function takeLock(lockPath: string, waitMs: number): Promise<ProcessLock> {
  await mkdir(dirname(lockPath), { recursive: true })
  const end = performance.now() + waitMs
  for (let wait = 2; ; wait = Math.min(wait * 2, 50)) {
    const lock = await tryLock(lockPath)
    if (lock !== null) return lock
    if (performance.now() >= end) {
      throw new AppError('unavailable', `Another process has held ${lockPath} for ${waitMs / 1000} s.`, {
        hint: 'Wait until it is done, then try again.',
      })
    }
    await pause(wait)
  }
}

async function tryLock(lockPath: string): Promise<ProcessLock | null> {
  const inodeOf = async () => (await stat(lockPath).catch(() => null))?.ino ?? null
  try {
    closeSync(openSync(lockPath, constants.O_CREAT | constants.O_RDWR | constants.O_NOFOLLOW, 0o600))
  } catch (error) {
    throw fileError(error, lockPath)
  }
  const before = await inodeOf()
  if (before === null) return null
  let lock: ProcessLock | null
  try {
    lock = tryProcessLock(lockPath)
  } catch {
    // It was removed while it was opened.
    return null
  }
  if (lock === null || (await inodeOf()) === before) return lock
  lock.release()
  return null
}

function unlinkQuietly(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // It is only litter.
  }
}
