/** One file of issues on disk: read whole, replaced whole or not at all. */
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsync,
  fsyncSync,
  futimesSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  unlinkSync,
  writev,
  writevSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { AppError } from '../../domain/errors'
import { ISSUE_FILE_BYTES } from '../../domain/issue/issue'
import type { FileStamp } from '../../domain/issue/issue-store'
import type { PendingFile } from '../../engine/issues/trackers/issue-files'
import { randomHex } from '../../util/crypto'
import { diskFault } from '../../util/files/disk-fault'

interface BigStat {
  size: bigint
  mtimeNs: bigint
  ino: bigint
}

const stampOf = ({ size, mtimeNs, ino }: BigStat): FileStamp => ({
  size: Number(size),
  modified: String(mtimeNs),
  inode: String(ino),
})

/** How the file is now, without a look into it or to where it leads; `null` = there is none. */
export function stampOfFile(path: string): FileStamp | null {
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false })
  return found === undefined ? null : stampOf(found)
}

/**
 * Reads the whole file; `null` = there is none.
 * @throws `invalid` it is a link, or no regular file · `too_large` it has more than `ISSUE_FILE_BYTES` · `storage_readonly` it can't be read
 */
export function readIssueFile(path: string): { bytes: Uint8Array; stamp: FileStamp } | null {
  let file: number
  try {
    // O_NONBLOCK: a named pipe in the file's place must not hang the caller.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw fileError(error, path)
  }
  try {
    const found = fstatSync(file, { bigint: true })
    if (!found.isFile()) throw new AppError('invalid', `${path} is not a regular file.`)
    if (found.size > ISSUE_FILE_BYTES)
      throw new AppError('too_large', `${path} has more than ${ISSUE_FILE_BYTES} bytes.`, {
        hint: 'Split the project, or delete issues that nobody needs.',
        details: { limit: ISSUE_FILE_BYTES, unit: 'bytes' },
      })
    return { bytes: readFileSync(file), stamp: stampOf(found) }
  } catch (error) {
    throw fileError(error, path)
  } finally {
    closeSync(file)
  }
}

/** Parts of a second, each a whole number of nanoseconds and a fraction that a double holds. */
const TICKS = 512
const TICK_NANOS = 1_953_125n

/** Below this, writing at once is quicker than going through another thread. */
const SMALL = 65_536

/**
 * Writes beside the file, with its permissions, while the caller's transaction commits; `commit` puts it in its place. The time of the new file is set, not found, so that the transaction
 * can already hold how the file will be. The folder is not synced: should power loss undo the renaming, the file that is there then is
 * known as the former one, and is written again.
 */
export function replaceIssueFile(target: string, parts: readonly Uint8Array[]): PendingFile {
  if (lstatSync(target, { throwIfNoEntry: false })?.isSymbolicLink() === true)
    throw new AppError('invalid', `${target} is a link, and links are not written through.`, {
      hint: 'Replace the link with a file.',
    })
  const draft = join(dirname(target), `.${basename(target)}.${process.pid}.${randomHex(4)}.tmp`)
  const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW } = constants
  let file: number
  try {
    file = openSync(draft, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0o644)
  } catch (error) {
    throw fileError(error, target)
  }
  const size = parts.reduce((sum, part) => sum + part.length, 0)
  // A time in seconds as a double, which is what can be set, is exact in nanoseconds only for such fractions.
  const ticks = Math.floor((Date.now() * TICKS) / 1_000)
  const { ino } = fstatSync(file, { bigint: true })
  const stamp = { size, modified: String(BigInt(ticks) * TICK_NANOS), inode: String(ino) }
  const finish = async (): Promise<void> => {
    try {
      const before = statSync(target, { throwIfNoEntry: false })
      if (before !== undefined) fchmodSync(file, before.mode & 0o777)
      if (size <= SMALL) {
        if (size > 0) writeAll(file, parts)
        futimesSync(file, ticks / TICKS, ticks / TICKS)
        fsyncSync(file)
      } else {
        await writeAllAsync(file, parts)
        futimesSync(file, ticks / TICKS, ticks / TICKS)
        await new Promise<void>((resolve, reject) => fsync(file, (error) => (error ? reject(error) : resolve())))
      }
    } catch (error) {
      throw fileError(error, target)
    } finally {
      closeSync(file)
    }
  }
  const written = finish()
  // It is looked at when the transaction is over; until then nobody waits for it.
  written.catch(() => {})
  const discard = (): void => {
    try {
      unlinkSync(draft)
    } catch {
      // It is only litter.
    }
  }
  return {
    stamp,
    written,
    async commit() {
      try {
        await written
        renameSync(draft, target)
      } catch (error) {
        discard()
        throw fileError(error, target)
      }
    },
    discard,
  }
}

function writeAll(file: number, parts: readonly Uint8Array[]): void {
  for (const part of parts) for (let at = 0; at < part.length; ) at += writevSync(file, [part.subarray(at)])
}

async function writeAllAsync(file: number, parts: readonly Uint8Array[]): Promise<void> {
  for (const part of parts)
    for (let at = 0; at < part.length; )
      at += await new Promise<number>((resolve, reject) =>
        writev(file, [part.subarray(at)], (error, count) => (error ? reject(error) : resolve(count))),
      )
}

/**
 * A link of a project's folder leads to files of issues alone, since the folder may come from anybody.
 * @throws `invalid`
 */
export function assertIssueFileName(path: string): void {
  let real: string
  try {
    real = realpathSync(path)
  } catch {
    return
  }
  if (real !== path && !real.endsWith('.jsonl'))
    throw new AppError('invalid', `${path} links to ${real}, which is not an issue file.`, {
      hint: 'Replace the link with a file.',
    })
}

export function fileError(error: unknown, path: string): unknown {
  if (error instanceof AppError) return error
  const { code } = error as NodeJS.ErrnoException
  const fault = diskFault(error)
  if (fault === 'storage_full')
    return new AppError(fault, `No space is left for ${path}.`, {
      hint: 'The file is unchanged. Free disk space, then try again.',
      cause: error,
    })
  if (fault !== undefined)
    return new AppError(fault, `${path} can't be used (${code}).`, {
      hint: 'Check the permissions of the file and its folder.',
      cause: error,
    })
  if (['EISDIR', 'ENOTDIR', 'ELOOP', 'ENXIO', 'ENAMETOOLONG'].includes(code ?? ''))
    return new AppError('invalid', `${path} can't be used as an issue file (${code}).`, { cause: error })
  return error
}
