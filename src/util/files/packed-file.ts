/**
 * Journals that their CLI packs once they are old: `X.jsonl` becomes `X.jsonl.zst`, and `X.jsonl` again when it goes on. They are known by
 * the plain name. Where both are there, the plain file counts.
 */
import { closeSync, existsSync, openSync, readFileSync, rmSync, type Stats, statSync, writeSync } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type FileWindow, openWindow, readRange } from './file-window'
import {
  BLOCK_BYTES,
  FIRST_BLOCK_BYTES,
  firstBlockOf,
  frameOf,
  type Refusal,
  statedSize,
  wholeBlocks,
  type ZstdFrame,
} from './zstd-frame'

/** Streams take the start of a command some milliseconds, and few files are packed. */
const zlib = (): typeof import('node:zlib') => process.getBuiltinModule('node:zlib')

const ENDING = '.zst'
/** More than any conversation has: 4 GiB. */
const MOST_BLOCKS = 32_768
/** What is larger than this must not be more than this many times as large as the packed file: lines of text never are. */
const FREELY_BYTES = 64 * 1_024 * 1_024
const MOST_TIMES = 1_000
/** Bytes read at once of a packed file. */
const PIECE_BYTES = 256 * 1_024

/** The name by which a file is known. */
export const plainPath = (path: string): string =>
  path.endsWith(`.jsonl${ENDING}`) ? path.slice(0, -ENDING.length) : path

/** Where the file of this plain name is when it is packed; `null` = it never is. */
const packedPath = (path: string): string | null => (path.endsWith('.jsonl') ? path + ENDING : null)

/** Where it is packed now; `null` = it is there plain, or not at all. */
export function packedNow(path: string): string | null {
  const packed = packedPath(path)
  return packed !== null && !existsSync(path) && existsSync(packed) ? packed : null
}

/** The inode of the packed file; `null` = the file is there plain, or not at all. */
export function packedInode(path: string): number | null {
  const packed = packedNow(path)
  return packed === null ? null : (statSync(packed, { throwIfNoEntry: false })?.ino ?? null)
}

/** As `fs.lstat`, of the file or its packed form: `size` is then that of the packed form. @throws the system's error */
export async function lstatEither(path: string): Promise<Stats> {
  try {
    return await lstat(path)
  } catch (error) {
    const packed = packedPath(path)
    const stats = packed === null ? undefined : await lstat(packed).catch(() => undefined)
    if (stats === undefined) throw error
    return stats
  }
}

/** A look at the file or its packed form, of which `size` is the most that it unpacks to. `null` = neither can be read. */
export function lookAt(path: string): Pick<Stats, 'size' | 'ino' | 'mtimeMs' | 'birthtimeMs'> | null {
  try {
    const packed = packedNow(path)
    const { size, ino, mtimeMs, birthtimeMs } = statSync(packed ?? path)
    return { size: packed === null ? size : (unpackedSize(path) ?? 0), ino, mtimeMs, birthtimeMs }
  } catch {
    return null
  }
}

/** Bytes to which the packed form unpacks, or the most that these can be; `null` = there is none, or it can't be unpacked. */
export function unpackedSize(path: string): number | null {
  const packed = packedPath(path)
  if (packed === null) return null
  try {
    const file = openWindow(packed)
    try {
      const stated = statedSize(file.read(0, PIECE_BYTES))
      if (stated !== null) return stated
      const frame = checkedFrame(file)
      return 'why' in frame ? null : frame.most
    } finally {
      file.close()
    }
  } catch {
    return null
  }
}

/**
 * The first bytes of a packed file, unpacked: at most this many, and none behind its first block (128 KiB or less).
 *
 * @param path  its plain name
 * @returns `null` = there is none that can be unpacked
 */
export function headOfPacked(path: string, bytes: number): Uint8Array | null {
  const packed = packedPath(plainPath(path))
  try {
    const file = packed === null ? null : openWindow(packed)
    if (file === null) return null
    try {
      const block = firstBlockOf(file.read(0, Math.min(FIRST_BLOCK_BYTES, file.size)))
      return block === null
        ? null
        : zlib().zstdDecompressSync(block, { maxOutputLength: BLOCK_BYTES }).subarray(0, bytes)
    } finally {
      file.close()
    }
  } catch {
    return null
  }
}

/** The whole file, or what its packed form unpacks to. @throws the system's error, or `EPACKED` */
export async function readEither(path: string): Promise<Buffer> {
  const file = await openUnpacked(path)
  if (file === null) return readFileSync(path)
  try {
    return Buffer.from(file.read(0, file.size))
  } finally {
    file.close()
  }
}

/**
 * Opens a packed file: it is unpacked into a temporary one without a name, which ends with the window.
 *
 * @param path  its plain name
 * @returns the window, with the inode of the packed file; `null` = the file is there plain, or not at all
 * @throws an error with the code `EPACKED` that says what is wrong with it, or the system's error
 */
export async function openUnpacked(path: string): Promise<FileWindow | null> {
  const packed = packedNow(path)
  if (packed === null) return null
  const file = openWindow(packed)
  try {
    const frame = checkedFrame(file)
    if ('why' in frame) throw broken(frame.why, frame.isTooLarge)
    const fd = openNameless()
    try {
      return windowOf(fd, await unpackInto(fd, file, frame), file)
    } catch (error) {
      closeSync(fd)
      throw error
    }
  } finally {
    file.close()
  }
}

/** What a packed file unpacks to. */
export interface UnpackedWindow extends FileWindow {
  /** Why these are its first lines only; `null` = it is whole. */
  readonly brokenBy: string | null
}

/**
 * As `openUnpacked`, but of a file that is cut or damaged it takes the whole lines before the fault, where there are some.
 *
 * @throws as `openUnpacked` where there are none
 */
export async function openUnpackedPart(path: string): Promise<UnpackedWindow | null> {
  try {
    const whole = await openUnpacked(path)
    return whole && { ...whole, brokenBy: null }
  } catch (error) {
    const packed = packedNow(path)
    if (!(error instanceof Unpackable) || error.isTooLarge || packed === null) throw error
    const file = openWindow(packed)
    try {
      const lines = await linesBeforeFault(file, error.message)
      if (lines === null) throw error
      return lines
    } finally {
      file.close()
    }
  }
}

async function linesBeforeFault(file: FileWindow, brokenBy: string): Promise<UnpackedWindow | null> {
  const most = Math.max(FREELY_BYTES, file.size * MOST_TIMES)
  const fd = openNameless()
  try {
    const { size, error } = await unpack(fd, wholeBlocks(inPieces(file), Math.floor(most / BLOCK_BYTES)), most)
    if (error !== null && isOfSystem(error)) throw error
    const end = lineEnd(fd, size)
    if (end > 0) return { ...windowOf(fd, end, file), brokenBy }
  } catch (error) {
    closeSync(fd)
    throw error
  }
  closeSync(fd)
  return null
}

/** A temporary file, with the facts of the packed one. */
function windowOf(fd: number, size: number, { inode, device, modifiedAtMs }: FileWindow): FileWindow {
  const read: FileWindow['read'] = (offset, length) =>
    readRange(fd, offset, Math.max(0, Math.min(length, size - offset)))
  return { size, inode, device, modifiedAtMs, read, close: () => closeSync(fd) }
}

/** Where the last whole line of a file ends. */
function lineEnd(fd: number, size: number): number {
  for (let end = size; end > 0; end -= PIECE_BYTES) {
    const from = Math.max(0, end - PIECE_BYTES)
    const at = readRange(fd, from, end - from).lastIndexOf(10)
    if (at >= 0) return from + at + 1
  }
  return 0
}

function checkedFrame(file: FileWindow): ZstdFrame | Refusal {
  const frame = frameOf(inPieces(file), MOST_BLOCKS)
  if ('why' in frame || frame.most <= Math.max(FREELY_BYTES, file.size * MOST_TIMES)) return frame
  return { why: `its ${file.size} bytes would unpack to ${Math.ceil(frame.most / 2 ** 20)} MiB`, isTooLarge: true }
}

/** Looks at small parts one behind the other, for which the file is read in larger ones. */
function inPieces({ size, read }: FileWindow): { size: number; read: FileWindow['read'] } {
  let from = 0
  let piece: Uint8Array = new Uint8Array()
  return {
    size,
    read(offset, length) {
      if (offset < from || offset + length > from + piece.length) {
        from = offset
        piece = read(offset, Math.min(PIECE_BYTES, Math.max(0, size - offset)))
      }
      return piece.subarray(offset - from, offset - from + length)
    },
  }
}

/** @returns how many bytes it unpacked to */
async function unpackInto(fd: number, file: FileWindow, frame: ZstdFrame): Promise<number> {
  const { size, error } = await unpack(fd, piecesOf(file), frame.most)
  if (error !== null) throw isOfSystem(error) ? error : broken(`it is damaged: ${error.message}`)
  if (frame.size !== null && size !== frame.size) throw broken('it is damaged: it unpacks to less than it says')
  return size
}

/** What can't be written is the system's to tell. */
const isOfSystem = (error: Error): boolean => /^E[A-Z]+$/.test((error as NodeJS.ErrnoException).code ?? '')

/** @returns how many bytes were unpacked into the file, and what ended it before its end */
async function unpack(
  fd: number,
  pieces: Iterable<Uint8Array>,
  most: number,
): Promise<{ size: number; error: Error | null }> {
  const { Readable, Writable } = process.getBuiltinModule('node:stream')
  const { pipeline } = process.getBuiltinModule('node:stream/promises')
  let size = 0
  const sink = new Writable({
    write(piece: Buffer, _encoding, done) {
      try {
        for (let at = 0; at < piece.length; ) at += writeSync(fd, piece, at, piece.length - at)
        size += piece.length
        done(size > most ? new Error('it unpacks to more than it says') : null)
      } catch (error) {
        done(error as Error)
      }
    },
  })
  try {
    await pipeline(Readable.from(pieces), zlib().createZstdDecompress({ chunkSize: PIECE_BYTES }), sink)
    return { size, error: null }
  } catch (error) {
    return { size, error: error as Error }
  }
}

function* piecesOf(file: FileWindow): Generator<Uint8Array> {
  for (let at = 0; at < file.size; at += PIECE_BYTES) yield file.read(at, Math.min(PIECE_BYTES, file.size - at))
}

/** A file for its owner alone that ends when it is closed. */
function openNameless(): number {
  const path = join(tmpdir(), `lode-${crypto.randomUUID()}.tmp`)
  const fd = openSync(path, 'wx+', 0o600)
  rmSync(path, { force: true })
  return fd
}

/** What is wrong with a packed file. */
class Unpackable extends Error {
  readonly code = 'EPACKED'
  readonly isTooLarge: boolean

  constructor(why: string, isTooLarge = false) {
    super(`it can't be unpacked: ${why}`)
    this.isTooLarge = isTooLarge
  }
}

const broken = (why: string, isTooLarge?: boolean): Unpackable => new Unpackable(why, isTooLarge)

/** Why a file could not be opened, for a person: the system's code, or what is wrong with a packed file. */
export function whyUnread(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return code === 'EPACKED' ? message : (code ?? String(error))
}
