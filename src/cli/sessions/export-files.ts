import { constants, type FileHandle, link, lstat, mkdir, open, rename, rm, rmdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { ExportFile } from '../../api/client'
import { AppError } from '../../domain/errors'
import { randomHex } from '../../util/crypto'
import { diskFault } from '../../util/files/disk-fault'

export interface WrittenFile {
  /** Absolute. */
  path: string
  bytes: number
}

/**
 * Writes the files of an export below `folder`, all of them or none: each is written under a folder of its own first, made
 * durable, and all are put in place once the last one has come whole. Files are readable by their owner only.
 *
 * Names come from the wire and are taken as hostile: a file never lands outside `folder`, also not through a link in it.
 *
 * @param isForced  replaces files that are there
 * @throws `invalid`   a path that leaves the folder, or a file shorter or longer than announced
 * @throws `conflict`  a file is there already, or something else stands in its place
 */
export async function writeExport(
  files: AsyncIterable<ExportFile>,
  folder: string,
  isForced: boolean,
): Promise<WrittenFile[]> {
  const root = resolve(folder)
  const isNew = (await lstat(root).catch(() => null)) === null
  const staging = join(root, `.lode-export-${process.pid}-${randomHex(6)}`)
  try {
    await mkdir(root, { recursive: true, mode: 0o700 })
    await mkdir(staging, { mode: 0o700 })
    const staged = await stage(files, root, staging)
    // Whatever could stand in the way is looked for before the first file is put in place.
    for (const file of staged) {
      await makeFolders(root, dirname(file.path))
      if (!isForced) await refuseExisting(file.path)
    }
    for (const file of staged) await place(file, isForced)
    return staged.map(({ path, bytes }) => ({ path, bytes }))
  } catch (error) {
    throw fileError(error, root)
  } finally {
    await rm(staging, { recursive: true, force: true })
    // Leaves nothing behind where there was nothing: fails, as it should, when files were placed.
    if (isNew) await rmdir(root).catch(() => undefined)
  }
}

interface StagedFile extends WrittenFile {
  from: string
}

async function stage(files: AsyncIterable<ExportFile>, root: string, staging: string): Promise<StagedFile[]> {
  const staged: StagedFile[] = []
  const taken = new Set<string>()
  for await (const file of files) {
    const path = insidePath(root, file.relativePath)
    // Some file systems don't tell upper from lower case.
    if (taken.has(path.toLowerCase())) throw new AppError('invalid', `The export contains ${file.relativePath} twice.`)
    taken.add(path.toLowerCase())
    const from = join(staging, String(staged.length))
    const bytes = await writeWhole(from, file)
    staged.push({ from, path, bytes })
  }
  return staged
}

async function writeWhole(path: string, file: ExportFile): Promise<number> {
  const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW } = constants
  const handle: FileHandle = await open(path, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0o600)
  try {
    let bytes = 0
    for await (const chunk of file.bytes) {
      await handle.writeFile(chunk)
      bytes += chunk.length
    }
    if (bytes !== file.size) {
      throw new AppError('unavailable', `${file.relativePath} arrived with ${bytes} bytes instead of ${file.size}.`, {
        hint: 'Try again.',
      })
    }
    await handle.sync()
    return bytes
  } finally {
    await handle.close()
  }
}

/** Puts a staged file at its place without ever showing half of it. */
async function place({ from, path }: StagedFile, isForced: boolean): Promise<void> {
  if (isForced) return rename(from, path)
  try {
    // Unlike a rename, a link never replaces what somebody put there meanwhile.
    await link(from, path)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'EOPNOTSUPP' && code !== 'ENOSYS') throw error
    await refuseExisting(path)
    await rename(from, path)
  }
}

/** Makes the folders between `root` and `folder` one by one; a link among them could lead anywhere. */
async function makeFolders(root: string, folder: string): Promise<void> {
  if (folder === root) return
  await makeFolders(root, dirname(folder))
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  const stat = await lstat(folder)
  if (!stat.isDirectory())
    throw new AppError('conflict', `${folder} is not a folder.`, { hint: 'Export into an empty folder.' })
}

async function refuseExisting(path: string): Promise<void> {
  const stat = await lstat(path).catch(() => null)
  if (stat === null) return
  throw new AppError('conflict', `${path} already exists.`, {
    hint: 'Name another folder, or use --force to replace it.',
  })
}

/**
 * Where a file of an export belongs.
 * @throws `invalid`  a path that is absolute, empty, leaves the folder, or holds what no file of a session has in its name
 */
export function insidePath(root: string, relativePath: string): string {
  const parts = relativePath.split('/')
  const isGood =
    parts.length <= 8 &&
    parts.every((part) => /^[^/\\:\p{Cc}\p{Cf}]{1,255}$/u.test(part) && part !== '.' && part !== '..')
  if (!isGood || parts[0]?.startsWith('.lode-export-')) {
    throw new AppError(
      'invalid',
      `The export contains a file that does not belong to a session: '${relativePath.slice(0, 200)}'.`,
      {
        hint: 'Nothing was written. Another program may be responding in place of the server.',
      },
    )
  }
  return join(root, ...parts)
}

function fileError(error: unknown, root: string): unknown {
  if (error instanceof AppError) return error
  const { code } = error as NodeJS.ErrnoException
  const fault = diskFault(error)
  if (fault === 'storage_full') return new AppError(fault, `No space left in ${root}.`, { cause: error })
  if (fault !== undefined) {
    return new AppError(fault, `Can't write to ${root} (${code}).`, {
      hint: 'Name another folder.',
      cause: error,
    })
  }
  if (code === 'EEXIST' || code === 'ENOTDIR' || code === 'EISDIR' || code === 'ENOTEMPTY') {
    return new AppError('conflict', `An existing file or folder in ${root} is in the way (${code}).`, {
      hint: 'Export into an empty folder.',
      cause: error,
    })
  }
  return error
}
