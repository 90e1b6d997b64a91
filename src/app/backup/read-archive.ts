import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { createTarDecoder } from 'modern-tar'
import { AppError, isAppError } from '../../domain/errors'
import { AgeError, decrypted, isAgeFile, type OpenWith, openKey } from '../../util/archive/age-stream'
import { KEY_NAME, segmentName } from './resumable-archive'
import { TAR_BLOCK_BYTES } from './tar-segment'
import type { ArchiveEntry } from './write-archive'

/** Bytes read at once. */
const READ_BYTES = 262_144
/** A file with one key is smaller. */
const MAX_KEY_BYTES = 10_000

/**
 * The entries of an archive that `writeArchive` made. Names and sizes come from the file and are taken as hostile.
 *
 * @throws `not_found` no such file · `invalid` it is no archive, was changed or cut off, or no key fits
 */
export async function* readArchive(path: string, keys: OpenWith): AsyncGenerator<ArchiveEntry> {
  const file = await openArchive(path)
  try {
    const plain = await plainOf(file, path, keys)
    const entries = plain.pipeThrough(createTarDecoder({ strict: true }))
    for await (const { header, body } of entries) {
      if (header.type !== undefined && header.type !== 'file')
        throw new AppError('invalid', `${path} holds something that is no file: ${JSON.stringify(header.name)}.`)
      yield { name: header.name, size: header.size, bytes: bodyOf(body, path) }
    }
  } catch (error) {
    throw readError(error, path)
  } finally {
    await file.close()
  }
}

/** The reader of an entry hears what is wrong in the same words as the reader of the entries. */
async function* bodyOf(body: ReadableStream<Uint8Array>, path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* body
  } catch (error) {
    throw readError(error, path)
  }
}

/** What is wrong with an archive, from whatever part of the way it comes. */
export function readError(error: unknown, path: string): unknown {
  if (isAppError(error)) return error
  if (error instanceof AgeError && error.reason === 'key')
    return new AppError('invalid', `${path} is encrypted, and no key that you gave opens it.`, {
      hint: 'Use --identity FILE with a key that it was encrypted to, or --passphrase.',
      cause: error,
    })
  if (error instanceof DOMException && error.name === 'AbortError') return error
  if (typeof (error as NodeJS.ErrnoException).syscall === 'string') return error
  return damaged(path, error)
}

export const damaged = (path: string, cause?: unknown): AppError =>
  new AppError('invalid', `${path} is damaged, or was not written whole.`, { hint: 'Use another backup.', cause })

/** The types of the platform take more for a chunk than our streams give. */
const gunzip = () => new DecompressionStream('gzip') as ReadableWritablePair<Uint8Array, Uint8Array>

async function openArchive(path: string): Promise<FileHandle> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    if ((await file.stat()).isFile()) return file
    await file.close()
    throw new AppError('invalid', `${path} is not a file.`, { hint: 'Name the file that `lode backup` wrote.' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    throw new AppError('not_found', `There is no file ${path}.`)
  }
}

/** The tar archive, as bytes. */
async function plainOf(file: FileHandle, path: string, keys: OpenWith): Promise<ReadableStream<Uint8Array>> {
  const head = Buffer.alloc(TAR_BLOCK_BYTES)
  await file.read(head, 0, head.length, 0)
  const bytes = streamOf(file)
  const isOuter = head.toString('latin1', 257, 262) === 'ustar'
  if (isOuter || isAgeFile(head)) {
    if (keys.identities.length === 0 && keys.passphrases.length === 0)
      throw new AppError('invalid', `${path} is encrypted.`, { hint: 'Use --identity FILE or --passphrase.' })
    return isOuter ? streamOfParts(segmentsOf(bytes, keys)) : (await decrypted(bytes, keys)).pipeThrough(gunzip())
  }
  if (head[0] !== 0x1f || head[1] !== 0x8b)
    throw new AppError('invalid', `${path} is no archive of Lodeline.`, {
      hint: 'Name the file that `lode backup` wrote.',
    })
  return bytes.pipeThrough(gunzip())
}

/** What the encrypted segments of an outer archive hold, one behind the other. That none is missing, the archive's checksums prove. */
async function* segmentsOf(outer: ReadableStream<Uint8Array>, keys: OpenWith): AsyncGenerator<Uint8Array> {
  let open = keys
  let number = 0
  for await (const { header, body } of outer.pipeThrough(createTarDecoder({ strict: true }))) {
    if (number === 0 && header.name === KEY_NAME && header.size <= MAX_KEY_BYTES) {
      const identity = await openKey(await new Response(body).bytes(), keys.passphrases)
      if (identity !== null) open = { identities: [...keys.identities, identity], passphrases: [] }
    } else if (header.name === segmentName(++number)) yield* (await decrypted(body, open)).pipeThrough(gunzip())
    else throw new Error(`no segment is called ${header.name}`)
  }
}

const streamOfParts = (parts: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> =>
  new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await parts.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: async () => void (await parts.return(undefined)),
  })

function streamOf(file: FileHandle): ReadableStream<Uint8Array> {
  let at = 0
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const part = Buffer.alloc(READ_BYTES)
      const { bytesRead } = await file.read(part, 0, part.length, at)
      at += bytesRead
      if (bytesRead === 0) controller.close()
      else controller.enqueue(part.subarray(0, bytesRead))
    },
  })
}
