/**
 * The archive of a backup. It is written in segments, each durable before the next one begins. An interrupted one is gone on with: what the
 * segments hold is not written again where the source still has the same.
 *
 * Without encryption the segments are members of one `gzip` file, which holds one tar archive. Encrypted, each is a file in the format of age
 * and stands in an outer tar archive, since a file of age can't be appended to.
 */
import { type FileHandle, open, rm } from 'node:fs/promises'
import { AppError } from '../../domain/errors'
import { type EncryptTo, encrypted, keyFor, openKey, recipientOf } from '../../util/archive/age-stream'
import { randomHex } from '../../util/crypto'
import { TAR_BLOCK_BYTES, TAR_END, TarSegment, tarHead } from './tar-segment'
import type { Unfinished, UnfinishedNotes } from './unfinished'
import { type ArchiveEntry, diskError, type EntryDigest, place, refuseExisting } from './write-archive'

/** A segment ends with the entry that makes it larger than this, in bytes before compression. */
const SEGMENT_BYTES = 32 * 1_048_576
/** Entries of at most this many bytes are compared with what is there already; larger ones are written again. */
const COMPARED_BYTES = 16 * 1_048_576
const READ_BYTES = 1_048_576

/** The key of the segments, encrypted with a passphrase: a passphrase costs a second for each file that it opens. */
export const KEY_NAME = 'key.txt.age'
export const segmentName = (number: number): string => `${String(number).padStart(6, '0')}.tar.gz.age`

export interface ResumableArchive {
  /** The archive's file. It must not be there. */
  to: string
  encryptTo: EncryptTo | null
  notes: UnfinishedNotes
  /** Default: 32 MiB. */
  segmentBytes?: number
  /** Ends it; what is durable by then is kept. */
  signal: AbortSignal
  /** Gives the entries one after the other. The digests are those of the entries before. */
  entries(digests: readonly EntryDigest[]): AsyncIterable<ArchiveEntry>
  /** Hears how many bytes of the file are there from before. */
  onResume?: (bytes: number) => void
  /** Hears after a failure how many bytes are kept to be gone on with. */
  onKept?: (bytes: number) => void
}

/**
 * @returns the size of the file
 * @throws `conflict` something is there · `invalid` the passphrase is not that of what was begun · `storage_full` `storage_readonly` · what a
 *   source throws
 */
export async function writeResumable(options: ResumableArchive): Promise<{ bytes: number }> {
  const { to, notes, signal } = options
  await refuseExisting(to)
  let draft: Draft | undefined
  try {
    draft = await Draft.open(options)
    if (draft.keptBytes > 0) options.onResume?.(draft.keptBytes)
    const digests: EntryDigest[] = []
    for await (const entry of options.entries(digests)) {
      signal.throwIfAborted()
      digests.push(await draft.add(entry))
    }
    const { path, bytes } = await draft.end()
    await place(path, to)
    await rm(path, { force: true })
    notes.remove()
    return { bytes }
  } catch (error) {
    await draft?.giveUp(error)
    signal.throwIfAborted()
    throw diskError(error, to)
  } finally {
    await draft?.close()
  }
}

class Draft {
  readonly #options: ResumableArchive
  readonly #file: FileHandle
  readonly #state: Unfinished
  /** The recipients of encrypted segments. */
  readonly #keys: EncryptTo | null
  /** Entries of the segments that are there from before. */
  readonly #known = new Set<string>()
  readonly keptBytes: number
  /** Where the next segment begins. */
  #length: number
  #open: OpenSegment | null = null

  private constructor(options: ResumableArchive, file: FileHandle, state: Unfinished, keys: EncryptTo | null) {
    this.#options = options
    this.#file = file
    this.#state = state
    this.#keys = keys
    this.#length = state.segments.reduce((sum, { bytes }) => sum + bytes, 0)
    const kept = state.segments.flatMap(({ entries }) => entries)
    for (const entry of kept) this.#known.add(identityOf(entry))
    this.keptBytes = kept.length > 0 ? this.#length : 0
  }

  static async open(options: ResumableArchive): Promise<Draft> {
    const { to, encryptTo, notes } = options
    const known = notes.read()
    const encryption = encryptionName(encryptTo)
    if (known !== null) {
      const draft = known.encryption === encryption ? await Draft.#resume(options, known) : null
      if (draft !== null) return draft
      await rm(known.draft, { force: true })
      notes.remove()
    }
    const path = `${to}.part-${randomHex(6)}`
    const file = await open(path, 'wx+', 0o600)
    const state: Unfinished = { draft: path, encryption, segments: [] }
    if (encryptTo === null || 'recipients' in encryptTo) return new Draft(options, file, state, encryptTo)
    const key = await keyFor(encryptTo.passphrase)
    const draft = new Draft(options, file, state, { recipients: [key.recipient] })
    await draft.#keepKey(key.file)
    return draft
  }

  /** `null` = nothing of it can be used. */
  static async #resume(options: ResumableArchive, known: Unfinished): Promise<Draft | null> {
    const { encryptTo } = options
    const file = await open(known.draft, 'r+').catch(() => null)
    if (file === null) return null
    const segments = await wholeSegments(file, known.segments)
    const state = { ...known, segments }
    const [first] = segments
    if (first === undefined) {
      await file.close()
      return null
    }
    if (encryptTo === null || 'recipients' in encryptTo) return new Draft(options, file, state, encryptTo)
    const identity = await openKey(await keptKey(file, first.bytes), [encryptTo.passphrase])
    if (identity !== null) return new Draft(options, file, state, { recipients: [await recipientOf(identity)] })
    await file.close()
    throw new AppError('invalid', `The unfinished backup ${known.draft} has another passphrase.`, {
      hint: 'Use that one, or remove the file to begin anew.',
    })
  }

  async add({ name, size, bytes }: ArchiveEntry): Promise<EntryDigest> {
    const hash = new Bun.CryptoHasher('sha256')
    let content = bytes
    if (this.#known.size > 0 && size <= COMPARED_BYTES) {
      const parts: Uint8Array[] = []
      for await (const part of bytes) {
        hash.update(part)
        parts.push(part)
      }
      const digest = { name, size, sha256: hash.copy().digest('hex') }
      if (this.#known.has(identityOf(digest)) && sizeOf(parts) === size) return digest
      content = (async function* () {
        yield* parts
      })()
    } else content = hashed(bytes, hash, this.#options.signal)
    this.#open ??= await this.#begin()
    await this.#open.tar.add({ name, size }, checkedSize(content, name, size))
    const digest = { name, size, sha256: hash.digest('hex') }
    this.#open.entries.push(digest)
    this.#open.bytes += size
    if (this.#open.bytes >= (this.#options.segmentBytes ?? SEGMENT_BYTES)) await this.#finish(false)
    return digest
  }

  async end(): Promise<{ path: string; bytes: number }> {
    this.#open ??= await this.#begin()
    await this.#finish(true)
    if (this.#keys !== null) {
      await this.#write(TAR_END)
      await this.#file.sync()
    }
    await this.#file.truncate(this.#length)
    return { path: this.#state.draft, bytes: this.#length }
  }

  /** Keeps what is durable, if that is anything. */
  async giveUp(error: unknown): Promise<void> {
    this.#open?.tar.fail(error)
    await this.#open?.written.catch(() => {})
    const { segments } = this.#state
    if (segments.some(({ entries }) => entries.length > 0)) {
      this.#options.onKept?.(segments.reduce((sum, { bytes }) => sum + bytes, 0))
      return
    }
    await rm(this.#state.draft, { force: true })
    this.#options.notes.remove()
  }

  close = (): Promise<void> => this.#file.close()

  async #begin(): Promise<OpenSegment> {
    const tar = new TarSegment()
    const start = this.#length
    if (this.#keys !== null) this.#length += TAR_BLOCK_BYTES
    const compressed = tar.bytes.pipeThrough(gzip())
    const bytes = this.#keys === null ? compressed : await encrypted(compressed, this.#keys)
    const written = this.#save(bytes)
    // It is waited for at the segment's end; until then its failure is that of whoever adds.
    written.catch((error: unknown) => tar.fail(error))
    return { tar, start, entries: [], bytes: 0, written }
  }

  async #finish(isLast: boolean): Promise<void> {
    const segment = this.#open
    if (segment === null) return
    segment.tar.end(isLast)
    const size = await segment.written
    this.#open = null
    // The key is the first entry of the outer archive, and no segment.
    if (this.#keys !== null) await this.#frame(segmentName(this.#segmentNumber()), segment.start, size)
    await this.#keep(segment.start, segment.entries)
  }

  #segmentNumber = (): number => this.#state.segments.filter(({ entries }) => entries.length > 0).length + 1

  /** Puts the head of an outer entry before it, and fills up its last block. */
  async #frame(name: string, start: number, size: number): Promise<void> {
    await this.#file.write(await tarHead(name, size), 0, TAR_BLOCK_BYTES, start)
    const rest = -size & (TAR_BLOCK_BYTES - 1)
    if (rest > 0) await this.#write(new Uint8Array(rest))
  }

  async #keepKey(bytes: Uint8Array): Promise<void> {
    const start = this.#length
    this.#length += TAR_BLOCK_BYTES
    await this.#write(bytes)
    await this.#frame(KEY_NAME, start, bytes.length)
    await this.#keep(start, [])
  }

  async #keep(start: number, entries: EntryDigest[]): Promise<void> {
    await this.#file.sync()
    const sha256 = await hashOf(this.#file, start, this.#length)
    this.#state.segments.push({ bytes: this.#length - start, sha256, entries })
    this.#options.notes.write(this.#state)
  }

  async #save(bytes: ReadableStream<Uint8Array>): Promise<number> {
    const reader = bytes.getReader()
    let size = 0
    try {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return size
        this.#options.signal.throwIfAborted()
        await this.#write(value)
        size += value.length
      }
    } catch (error) {
      await reader.cancel(error).catch(() => {})
      throw error
    }
  }

  async #write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      const { bytesWritten } = await this.#file.write(bytes, at, bytes.length - at, this.#length)
      at += bytesWritten
      this.#length += bytesWritten
    }
  }
}

/** The types of the platform take more for a chunk than our streams give. */
const gzip = () => new CompressionStream('gzip') as ReadableWritablePair<Uint8Array, Uint8Array>

interface OpenSegment {
  tar: TarSegment
  /** Where it begins in the file, with the head of an outer entry. */
  start: number
  entries: EntryDigest[]
  /** Bytes of its entries. */
  bytes: number
  /** Gives how many bytes were written, when all are. */
  written: Promise<number>
}

/** The segments from the first on whose bytes are those that were written; what is behind them is cut off. */
async function wholeSegments(file: FileHandle, segments: Unfinished['segments']): Promise<Unfinished['segments']> {
  const { size } = await file.stat()
  const whole: Unfinished['segments'] = []
  let at = 0
  for (const segment of segments) {
    const end = at + segment.bytes
    if (end > size || (await hashOf(file, at, end)) !== segment.sha256) break
    whole.push(segment)
    at = end
  }
  await file.truncate(at)
  return whole
}

async function hashOf(file: FileHandle, start: number, end: number): Promise<string> {
  const hash = new Bun.CryptoHasher('sha256')
  const part = Buffer.alloc(READ_BYTES)
  for (let at = start; at < end; ) {
    const { bytesRead } = await file.read(part, 0, Math.min(part.length, end - at), at)
    if (bytesRead === 0) break
    hash.update(part.subarray(0, bytesRead))
    at += bytesRead
  }
  return hash.digest('hex')
}

async function keptKey(file: FileHandle, framedBytes: number): Promise<Uint8Array> {
  const head = Buffer.alloc(TAR_BLOCK_BYTES)
  await file.read(head, 0, head.length, 0)
  // The size of an entry stands there in octal digits.
  const size = Number.parseInt(head.toString('latin1', 124, 135), 8)
  const bytes = Buffer.alloc(Math.min(size, framedBytes))
  await file.read(bytes, 0, bytes.length, TAR_BLOCK_BYTES)
  return bytes
}

/** What has to be the same for a draft to be gone on with. */
const encryptionName = (to: EncryptTo | null): string =>
  to === null ? 'none' : 'passphrase' in to ? 'passphrase' : [...to.recipients].sort().join(' ')

const identityOf = ({ name, size, sha256 }: EntryDigest): string => `${sha256} ${size} ${name}`

const sizeOf = (parts: readonly Uint8Array[]): number => parts.reduce((sum, { length }) => sum + length, 0)

async function* hashed(bytes: AsyncIterable<Uint8Array>, hash: Bun.CryptoHasher, signal: AbortSignal) {
  for await (const part of bytes) {
    signal.throwIfAborted()
    hash.update(part)
    yield part
  }
}

async function* checkedSize(bytes: AsyncIterable<Uint8Array>, name: string, size: number) {
  let done = 0
  for await (const part of bytes) {
    done += part.length
    if (done <= size) yield part
  }
  if (done !== size)
    throw new AppError('unavailable', `${name} changed while it was read: ${done} bytes instead of ${size}.`, {
      hint: 'Try again.',
    })
}
