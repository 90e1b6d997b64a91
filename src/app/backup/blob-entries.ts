import type { BlobStore } from '../../domain/blob-store'
import { AppError } from '../../domain/errors'
import { PACKS_FOLDER } from './backup-format'
import type { ArchiveEntry } from './write-archive'

/** Bytes read at once. */
const READ_BYTES = 4 * 1_048_576
/** A blob that is larger is none of ours: one is put as a whole. */
const MAX_BLOB_BYTES = 512 * 1_048_576

/**
 * All blobs. They are listed after the moment of the database, which then needs none that is not here: a blob stays for a day after
 * nothing needs it.
 */
export async function* blobEntries(blobs: BlobStore): AsyncGenerator<ArchiveEntry> {
  for await (const { name, size } of blobs.list(''))
    yield { name: PACKS_FOLDER + name, size, bytes: parts(blobs, name, size) }
}

async function* parts(blobs: BlobStore, name: string, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < size; at += READ_BYTES) yield await blobs.read(name, at, Math.min(READ_BYTES, size - at))
}

/** @throws `invalid` · what the store throws */
export async function putEntry(blobs: BlobStore | null, { name, size, bytes }: ArchiveEntry): Promise<void> {
  if (blobs === null)
    throw new AppError('invalid', 'The backup holds blobs, and this database has no place for them.', {
      hint: 'Name one with the setting blobs or LODELINE_BLOBS.',
    })
  if (size > MAX_BLOB_BYTES) throw new AppError('invalid', `The backup holds a blob that is too large: ${size} bytes.`)
  const read: Uint8Array[] = []
  for await (const part of bytes) read.push(part)
  await blobs.put(name.slice(PACKS_FOLDER.length), Buffer.concat(read))
}
