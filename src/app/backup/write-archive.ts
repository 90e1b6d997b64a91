import { type FileHandle, link, lstat, open, rename, rm } from 'node:fs/promises'
import { createTarPacker } from 'modern-tar'
import { AppError } from '../../domain/errors'
import { type EncryptTo, encrypted } from '../../util/archive/age-stream'
import { randomHex } from '../../util/crypto'
import { diskFault } from '../../util/files/disk-fault'

/** A file of an archive. Each is read to its end before the next one is asked for. */
export interface ArchiveEntry {
  /** Its path in the archive. */
  name: string
  /** Bytes. */
  size: number
  bytes: AsyncIterable<Uint8Array>
}

export interface EntryDigest {
  name: string
  size: number
  /** SHA-256 in hexadecimal digits. */
  sha256: string
}

export interface WriteArchive {
  /** The archive's file. It must not be there, unless `isForced`. */
  to: string
  /** Replaces a file that is there. */
  isForced?: boolean
  /** Gives the entries one after the other. The digests are those of the entries before. */
  entries(digests: readonly EntryDigest[]): AsyncIterable<ArchiveEntry>
  /** `null` = anybody with the file can read it. */
  encryptTo: EncryptTo | null
  /** Ends it; nothing is left then. */
  signal: AbortSignal
}

/**
 * Writes a compressed tar archive, encrypted where that is wanted. The file is there when it is whole and durable. Bytes go from their
 * source through compression and encryption to the file: nothing plain is on the disk of an encrypted archive, and memory stays flat.
 *
 * @returns the size of the file
 * @throws `conflict` something is there · `storage_full` `storage_readonly` · what a source throws
 */
export async function writeArchive({
  to,
  isForced = false,
  entries,
  encryptTo,
  signal,
}: WriteArchive): Promise<{ bytes: number }> {
  if (!isForced) await refuseExisting(to)
  const draft = `${to}.part-${randomHex(6)}`
  let file: FileHandle | undefined
  try {
    file = await open(draft, 'wx', 0o600)
    const { readable, controller } = createTarPacker()
    const packing = pack(entries, controller, signal).catch((error: unknown) => {
      controller.error(error)
      throw error
    })
    packing.catch(() => {})
    const compressed = readable.pipeThrough(new CompressionStream('gzip'))
    const bytes = encryptTo === null ? compressed : await encrypted(compressed, encryptTo)
    const size = await save(bytes, file, signal)
    await packing
    await file.sync()
    if (isForced) await rename(draft, to)
    else await place(draft, to)
    return { bytes: size }
  } catch (error) {
    signal.throwIfAborted()
    throw diskError(error, to)
  } finally {
    await file?.close()
    await rm(draft, { force: true })
  }
}

type Packer = ReturnType<typeof createTarPacker>['controller']

async function pack(entries: WriteArchive['entries'], packer: Packer, signal: AbortSignal): Promise<void> {
  const digests: EntryDigest[] = []
  for await (const { name, size, bytes } of entries(digests)) {
    const hash = new Bun.CryptoHasher('sha256')
    const writer = packer.add({ name, size, mode: 0o600 }).getWriter()
    let done = 0
    for await (const part of bytes) {
      signal.throwIfAborted()
      hash.update(part)
      done += part.length
      await writer.write(part)
    }
    if (done !== size)
      throw new AppError('unavailable', `${name} changed while it was read: ${done} bytes instead of ${size}.`, {
        hint: 'Try again.',
      })
    await writer.close()
    digests.push({ name, size, sha256: hash.digest('hex') })
  }
  packer.finalize()
}

async function save(bytes: ReadableStream<Uint8Array>, file: FileHandle, signal: AbortSignal): Promise<number> {
  let size = 0
  const reader = bytes.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return size
      signal.throwIfAborted()
      await file.writeFile(value)
      size += value.length
    }
  } catch (error) {
    await reader.cancel(error).catch(() => {})
    throw error
  }
}

/** Gives a draft its name. Unlike a rename, a link never replaces what somebody put there meanwhile; the draft stays then. */
export async function place(draft: string, to: string): Promise<void> {
  try {
    await link(draft, to)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(code)) throw error
    await refuseExisting(to)
    await rename(draft, to)
  }
}

/** @throws `conflict` */
export async function refuseExisting(path: string): Promise<void> {
  if ((await lstat(path).catch(() => null)) !== null)
    throw new AppError('conflict', `${path} already exists.`, { hint: 'Name another file.' })
}

/** What is wrong with a file that is written. */
export function diskError(error: unknown, path: string): unknown {
  const { code = '' } = error as NodeJS.ErrnoException
  if (code === 'EEXIST') return new AppError('conflict', `${path} already exists.`, { hint: 'Name another file.' })
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return new AppError('invalid', `The folder of ${path} is not there.`, { hint: 'Create the folder first.' })
  const fault = diskFault(error)
  if (fault === 'storage_full') return new AppError(fault, `No space is left for ${path}.`)
  if (fault !== undefined)
    return new AppError(fault, `${path} can't be written (${code}).`, { hint: 'Name another folder.' })
  return error
}
