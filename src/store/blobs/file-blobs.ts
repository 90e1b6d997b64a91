import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type BlobInfo, type BlobStore, checkBlobName, endsBefore, noBlob } from '../../domain/blob-store'
import { AppError } from '../../domain/errors'
import { DAY_MS } from '../../domain/time-units'
import { randomHex } from '../../util/crypto'
import { diskFault } from '../../util/files/disk-fault'

/** What a killed process left of a blob begins with this, and is removed after a day. */
const DRAFT = '.draft-'
const DRAFT_MS = DAY_MS

/** Blobs as files below a folder, made when it is missing. */
export function fileBlobs(folder: string): BlobStore {
  const placeOf = (name: string): string => {
    checkBlobName(name)
    return join(folder, ...name.split('/'))
  }
  return {
    location: folder,
    isShared: false,

    put: (name, bytes) =>
      onDisk(folder, async () => {
        const path = placeOf(name)
        await makeFolder(dirname(path))
        await removeOldDrafts(dirname(path))
        const draft = join(dirname(path), DRAFT + randomHex(8))
        try {
          await writeDurably(draft, bytes)
          await rename(draft, path)
        } catch (error) {
          await rm(draft, { force: true })
          throw error
        }
        await syncFolder(dirname(path))
      }),

    read: (name, from, length) =>
      onDisk(folder, async () => {
        const file = await openBlob(placeOf(name), name)
        try {
          const bytes = Buffer.alloc(length)
          for (let done = 0; done < length; ) {
            const { bytesRead } = await file.read(bytes, done, length - done, from + done)
            if (bytesRead === 0) throw endsBefore(name, from + length)
            done += bytesRead
          }
          return bytes
        } finally {
          await file.close()
        }
      }),

    delete: (name) => onDisk(folder, () => rm(placeOf(name), { force: true })),

    async *list(prefix) {
      if (prefix !== '') checkBlobName(prefix.replace(/\/$/, ''))
      for await (const blob of blobsBelow(folder, '')) if (blob.name.startsWith(prefix)) yield blob
    },

    head: (name) =>
      onDisk(folder, async () => {
        const found = await stat(placeOf(name)).catch(passOverMissing)
        return found?.isFile() ? { name, size: found.size } : undefined
      }),
  }
}

async function* blobsBelow(folder: string, path: string): AsyncGenerator<BlobInfo> {
  const inside = (await readdir(join(folder, path), { withFileTypes: true }).catch(passOverMissing)) ?? []
  for (const entry of inside) {
    if (entry.name.startsWith('.')) continue
    const name = path + entry.name
    if (entry.isDirectory()) yield* blobsBelow(folder, `${name}/`)
    else if (entry.isFile()) {
      const found = await stat(join(folder, name)).catch(passOverMissing)
      if (found !== null) yield { name, size: found.size }
    }
  }
}

async function openBlob(path: string, name: string): Promise<FileHandle> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(passOverMissing)
  if (file === null) throw noBlob(name)
  return file
}

/** Each folder that was made is durable in the one above it. */
async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  for (let at = folder; at.length >= first.length; at = dirname(at)) await syncFolder(dirname(at))
}

async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function removeOldDrafts(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(DRAFT)) continue
    const draft = await stat(join(folder, name)).catch(passOverMissing)
    if (draft !== null && draft.mtimeMs < Date.now() - DRAFT_MS) await rm(join(folder, name), { force: true })
  }
}

function passOverMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
  throw error
}

async function onDisk<T>(folder: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    const fault = diskFault(cause) ?? (code === 'EIO' ? 'storage_corrupt' : undefined)
    if (fault === undefined) throw cause
    throw new AppError(fault, `${folder} can't be used (${code}).`, {
      hint: 'No acknowledged data is lost. Free disk space, or check who owns the folder.',
      cause,
    })
  }
}
