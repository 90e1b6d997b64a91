import { createHash, randomBytes } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readFileSync, unlinkSync } from 'node:fs'
import { type FileHandle, mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { AppError } from '../domain/errors'
import { decodeFile, encodeFile } from '../engine/issue-file/file-text'
import { type ProcessLock, tryProcessLock } from '../util/process-lock'

/** What tells whether the file is still the one that was read. */
export interface FileStamp {
  /** SHA-256 of its bytes, in hex. */
  hash: string
  size: number
  /** With fractions, as precise as the system has it. */
  mtimeMs: number
  inode: number
}

export interface IssueFileText {
  /** Bytes that are no UTF-8 are lone surrogates; `replaceIssueFile` writes them back as they were. */
  text: string
  stamp: FileStamp
}

const MAX_BYTES = 1_000_000_000
const LOCK_WAIT_MS = 5_000

/**
 * Reads the whole file; `null` = there is none.
 * @throws `invalid`           it is no regular file
 * @throws `too_large`         it has more than a gigabyte
 * @throws `storage_readonly`  it can't be read
 */
export function readIssueFile(path: string): IssueFileText | null {
  const { O_RDONLY, O_NONBLOCK } = constants
  let file: number
  try {
    // O_NONBLOCK: a named pipe in the file's place must not hang the caller.
    file = openSync(path, O_RDONLY | O_NONBLOCK)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw fileError(error, path)
  }
  try {
    const { mtimeMs, ino } = regular(path, fstatSync(file))
    const bytes = readFileSync(file)
    return { text: decodeFile(bytes), stamp: { hash: hashOf(bytes), size: bytes.length, mtimeMs, inode: ino } }
  } catch (error) {
    throw fileError(error, path)
  } finally {
    closeSync(file)
  }
}

/**
 * Whether the file may have changed since `stamp`, by size, time and inode alone: cheap, for each command. `null` = there was none.
 * A file of the same size, inode and time (to the nanosecond where the system has it) counts as the same.
 */
export async function mayHaveChanged(path: string, stamp: FileStamp | null): Promise<boolean> {
  const now = await stat(path).catch(() => null)
  if (now === null || stamp === null) return (now === null) !== (stamp === null)
  return now.size !== stamp.size || now.mtimeMs !== stamp.mtimeMs || now.ino !== stamp.inode
}

/**
 * Puts `content` in the file's place, whole or not at all: a temporary file beside it, made durable, then renamed. The file keeps its
 * permissions. Call it with the lock held.
 *
 * @param content   text, or the parts of one after another
 * @param expected  what was read before; `null` = there was no file. Leave it out to replace whatever is there.
 * @throws `conflict`          the file is not the expected one: somebody else wrote it; read it again
 * @throws `storage_full` `storage_readonly`  nothing was changed
 */
export async function replaceIssueFile(
  path: string,
  content: string | readonly Uint8Array[],
  expected?: FileStamp | null,
): Promise<FileStamp> {
  const target = await realTarget(path)
  const parts = typeof content === 'string' ? [encodeFile(content)] : content
  const draft = join(dirname(target), `.${basename(target)}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`)
  try {
    await mkdir(dirname(target), { recursive: true })
    const before = await stat(target).catch(() => null)
    if (before !== null) regular(target, before)
    const hash = createHash('sha256')
    const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW } = constants
    const file: FileHandle = await open(draft, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0o644)
    let size = 0
    try {
      if (before !== null) await file.chmod(before.mode & 0o777)
      for (const part of parts) {
        await file.writeFile(part)
        hash.update(part)
        size += part.length
      }
      await file.sync()
    } finally {
      await file.close()
    }
    if (expected !== undefined && !(await isStill(target, expected))) {
      throw new AppError('conflict', `${path} was changed by another program meanwhile.`, { hint: 'Try again.' })
    }
    await rename(draft, target)
    await syncFolder(dirname(target))
    const { mtimeMs, ino } = await stat(target)
    return { hash: hash.digest('hex'), size, mtimeMs, inode: ino }
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined)
    throw fileError(error, path)
  }
}

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
  const target = await realTarget(path)
  const lockPath = join(dirname(target), `.${basename(target)}.lock`)
  const lock = await takeLock(lockPath, waitMs)
  try {
    return await work()
  } finally {
    // Removed while it is held: whoever waits on the removed file sees that and begins anew.
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
      throw new AppError('unavailable', `Another process is writing beside ${lockPath} for ${waitMs / 1000} s.`, {
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

/** The file that is meant: links are followed to a file of issues only, since a project's folder may come from anybody. */
async function realTarget(path: string): Promise<string> {
  const real = await realpath(path).catch(() => null)
  if (real !== null) {
    if (real !== path && !/\.jsonl$/.test(real)) {
      throw new AppError('invalid', `${path} leads to ${real}, which is no file of issues.`, {
        hint: 'Put a file in place of the link.',
      })
    }
    return real
  }
  const folder = await realpath(dirname(path)).catch(() => null)
  return folder === null ? path : join(folder, basename(path))
}

async function isStill(path: string, expected: FileStamp | null): Promise<boolean> {
  if (!(await mayHaveChanged(path, expected))) return true
  if (expected === null) return false
  return readIssueFile(path)?.stamp.hash === expected.hash
}

function regular<T extends { isFile(): boolean; size: number }>(path: string, found: T): T {
  if (!found.isFile()) {
    throw new AppError('invalid', `${path} is no regular file.`, { hint: 'Name the file that holds the issues.' })
  }
  if (found.size > MAX_BYTES) throw new AppError('too_large', `${path} has more than ${MAX_BYTES} bytes.`)
  return found
}

export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** Makes the new name survive power loss; not every system allows it on a folder. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, constants.O_RDONLY).catch(() => null)
  await folder?.sync().catch(() => undefined)
  await folder?.close()
}

function unlinkQuietly(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // It is only litter.
  }
}

function fileError(error: unknown, path: string): unknown {
  if (error instanceof AppError) return error
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new AppError('storage_full', `No space left for ${path}.`, { hint: 'The file is as it was.', cause: error })
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    return new AppError('storage_readonly', `${path} can't be used (${code}).`, {
      hint: 'Look at the permissions of the file and its folder.',
      cause: error,
    })
  }
  if (code === 'EISDIR' || code === 'ENOTDIR' || code === 'ELOOP' || code === 'ENXIO') {
    return new AppError('invalid', `${path} is no file that can hold issues (${code}).`, { cause: error })
  }
  return error
}
