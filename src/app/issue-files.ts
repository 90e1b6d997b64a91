import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsync,
  fsyncSync,
  futimesSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  unlinkSync,
  writev,
  writevSync,
} from 'node:fs'
import { basename, dirname, isAbsolute, join, relative } from 'node:path'
import { AppError } from '../domain/errors'
import type { FileStamp } from '../domain/issue-store'
import type { IssueFiles, IssuePlace, PendingFile } from '../engine/issues/issue-files'
import { projectOf } from '../util/git-project'
import { databaseOf, redirected } from './beads-keeper'
import { withIssueFileLock } from './issue-file-io'

/** The largest file that is read. */
const MAX_BYTES = 1_000_000_000

/** Names of an existing file, the first that is there in a folder. */
const OWN = '.lodeline/issues.jsonl'
/** In a `.beads` folder. */
const BEADS = ['issues.jsonl', 'beads.jsonl'] as const

/** Files of issues on this machine. @param home  `LODELINE_HOME`, which is no project's folder */
export function createIssueFiles({ hostName, home }: { hostName: string; home: string }): IssueFiles {
  return {
    hostName,
    locate: (dir) => locate(dir, home),
    stamp(path) {
      const found = statSync(path, { bigint: true, throwIfNoEntry: false })
      return found === undefined ? null : stampOf(found)
    },
    read,
    readOnly,
    hash: (bytes) => Bun.hash.xxHash3(bytes).toString(16),
    prepare,
    lock: (path, work) => {
      try {
        mkdirSync(dirname(path), { recursive: true })
      } catch (error) {
        throw fileError(error, path)
      }
      return withIssueFileLock(path, work)
    },
  }
}

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

/**
 * From the folder up to its repository's, then above that. In a linked work tree the main one's file is meant: agents that work side
 * by side share one tracker.
 */
function locate(dir: string, home: string): IssuePlace {
  if (!isAbsolute(dir) || dir.includes('\0')) throw new AppError('invalid', 'dir is not an absolute path')
  let folder: string
  try {
    folder = realpathSync(dir)
    if (!statSync(folder).isDirectory()) folder = dirname(folder)
  } catch {
    throw new AppError('not_found', `there is no folder ${dir.slice(0, 500)}`, {
      hint: 'Name a folder on the machine where the server runs.',
    })
  }
  const { root } = projectOf(folder)
  const isBelow = !relative(root, folder).startsWith('..')
  for (let at = isBelow ? folder : root; ; at = dirname(at)) {
    const found = fileOf(at, home)
    if (found !== null) return found
    if (dirname(at) === at) break
  }
  const own = join(root, '.lodeline')
  return { path: join(isSameFolder(own, home) ? join(home, 'issues') : own, 'issues.jsonl'), isBeads: false }
}

function fileOf(folder: string, home: string): IssuePlace | null {
  const own = join(folder, OWN)
  if (!isSameFolder(dirname(own), home) && isFile(own))
    return { path: join(realpathSync(dirname(own)), basename(own)), isBeads: false }
  const named = join(folder, '.beads')
  if (statSync(named, { throwIfNoEntry: false })?.isDirectory() !== true) return null
  const beads = redirected(named)
  const name = BEADS.find((each) => isFile(join(beads, each)))
  // A database is the tracker, also where nobody exported it: a file of ours beside it would be a second one.
  if (name === undefined && databaseOf(beads) === null) return null
  return { path: join(realpathSync(beads), name ?? BEADS[0]), isBeads: true }
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true

/** Issues that a database of bd keeps are read from its export, and changed by nobody but bd: it would never see what we write. */
function readOnly(path: string): AppError | null {
  const beads = dirname(path)
  const database = basename(beads) === '.beads' ? databaseOf(beads) : null
  if (database === null) return null
  return new AppError(
    'conflict',
    `the issues of ${beads} are kept by bd in a ${database} database: lode only reads its export`,
    {
      hint: `Change them with bd itself (bd create, bd update, bd close); install bd where it is missing. \`bd export -o ${path}\` brings the export up to date.`,
      details: { path, database },
    },
  )
}

function isSameFolder(path: string, home: string): boolean {
  try {
    return realpathSync(path) === realpathSync(home)
  } catch {
    return path === home
  }
}

function read(path: string): { bytes: Uint8Array; stamp: FileStamp } | null {
  let file: number
  try {
    // O_NONBLOCK: a named pipe in the file's place must not hang the caller.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw fileError(error, path)
  }
  try {
    const found = fstatSync(file, { bigint: true })
    if (!found.isFile()) throw new AppError('invalid', `${path} is no regular file`)
    if (found.size > MAX_BYTES) throw new AppError('too_large', `${path} has more than ${MAX_BYTES} bytes`)
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
 * Writes beside the file while the caller's transaction commits. The time of the new file is set, not found, so that the transaction
 * can already hold how the file will be. The folder is not synced: should power loss undo the renaming, the file that is there then is
 * known as the former one, and is written again.
 */
function prepare(path: string, parts: readonly Uint8Array[]): PendingFile {
  const refusal = readOnly(path)
  if (refusal !== null) throw refusal
  const target = targetOf(path)
  const draft = join(dirname(target), `.${basename(target)}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`)
  const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW } = constants
  let file: number
  try {
    file = openSync(draft, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0o644)
  } catch (error) {
    throw fileError(error, path)
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
      throw fileError(error, path)
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
        throw fileError(error, path)
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

/** The file that is meant: links are followed to a file of issues only, since a project's folder may come from anybody. */
function targetOf(path: string): string {
  let real: string
  try {
    real = realpathSync(path)
  } catch {
    return path
  }
  if (real !== path && !real.endsWith('.jsonl'))
    throw new AppError('invalid', `${path} leads to ${real}, which is no file of issues`, {
      hint: 'Put a file in place of the link.',
    })
  return real
}

function fileError(error: unknown, path: string): unknown {
  if (error instanceof AppError) return error
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new AppError('storage_full', `no space left for ${path}`, { hint: 'The file is as it was.', cause: error })
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return new AppError('storage_readonly', `${path} can't be used (${code})`, {
      hint: 'Look at the permissions of the file and its folder.',
      cause: error,
    })
  if (code === 'EISDIR' || code === 'ENOTDIR' || code === 'ELOOP' || code === 'ENXIO')
    return new AppError('invalid', `${path} is no file that can hold issues (${code})`, { cause: error })
  return error
}
