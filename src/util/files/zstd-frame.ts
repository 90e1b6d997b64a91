/** What the headers of a zstd file say, before anything of it is unpacked (RFC 8878). One frame is the whole file. */

/** No block unpacks to more. */
export const BLOCK_BYTES = 128 * 1_024
const MAGIC = 0xfd2f_b528
const LONGEST_HEADER = 18
const BLOCK_HEADER = 3
/** A block of the reserved type, or larger than one may be. */
const BAD_BLOCK = 'it is damaged: a block of it can not be'

export interface ZstdFrame {
  /** Bytes that it unpacks to, as it says itself; `null` = it does not say. */
  size: number | null
  /** It unpacks to no more than this. */
  most: number
}

/** Why a file is none that may be unpacked. */
export interface Refusal {
  /** In words. */
  why: string
  /** What it holds would be far more than it should. */
  isTooLarge?: boolean
}

/** A part of a file. */
interface Bytes {
  readonly size: number
  /** Fewer where the file ends. */
  read(offset: number, length: number): Uint8Array
}

/**
 * Walks over the headers of all blocks: tells a file that was cut from a whole one, which what unpacks it does not.
 *
 * @param mostBlocks  where it gives up
 * @returns the frame, or why it is none that may be unpacked
 */
export function frameOf(file: Bytes, mostBlocks: number): ZstdFrame | Refusal {
  const header = headerOf(file.read(0, LONGEST_HEADER))
  if (header === null) return { why: 'it does not begin as a zstd file does' }
  let at = header.length
  let blocks = 0
  for (let isLast = false; !isLast; ) {
    const block = blockAt(file.read(at, BLOCK_HEADER))
    if (block === 'cut' || (block !== 'bad' && at + block.length > file.size)) return { why: 'its end is missing' }
    if (block === 'bad') return { why: BAD_BLOCK }
    if (++blocks > mostBlocks)
      return { why: `it would unpack to more than ${(mostBlocks * BLOCK_BYTES) / 2 ** 20} MiB`, isTooLarge: true }
    at += block.length
    isLast = block.isLast
  }
  const end = at + header.checksumBytes
  if (end > file.size) return { why: 'its end is missing' }
  if (end < file.size) return { why: 'there is something behind its end' }
  const most = blocks * BLOCK_BYTES
  if (header.size !== null && header.size > most)
    return { why: 'it is damaged: it says that it is longer than it can be' }
  return { size: header.size, most: header.size ?? most }
}

/**
 * The whole blocks of a frame whose end is missing or damaged, as a frame that says nothing of its length: its header, then one block after
 * the other. Nothing where the head is none, or names a dictionary.
 *
 * @param mostBlocks  it ends there
 */
export function* wholeBlocks(file: Bytes, mostBlocks: number): Generator<Uint8Array> {
  const head = file.read(0, LONGEST_HEADER)
  const header = headerOf(head)
  if (header === null || header.hasDictionary) return
  let before: Uint8Array = new Uint8Array([...head.subarray(0, 4), WINDOW_ONLY, windowOf(head, header)])
  let at = header.length
  let isLast = false
  for (let blocks = 0; blocks < mostBlocks && !isLast; blocks++) {
    const block = blockAt(file.read(at, BLOCK_HEADER))
    if (typeof block === 'string' || at + block.length > file.size) break
    yield before
    before = file.read(at, block.length).slice()
    at += block.length
    isLast = block.isLast
  }
  if (at === header.length) return
  before[0] = (before[0] ?? 0) | 1
  yield before
}

/** The byte that stands for a window in which all that a frame needs of itself has room; decoders take no larger one than the last. */
function windowOf(head: Uint8Array, { isSingle, size }: Header): number {
  if (!isSingle) return head[5] ?? 0
  const bits = Math.ceil(Math.log2(Math.max(size ?? 0, 1_024)))
  return (Math.min(bits, 27) - 10) << 3
}

/** What its first bytes say: `null` = they do not say how long it is, or are those of another file. */
export const statedSize = (head: Uint8Array): number | null => headerOf(head)?.size ?? null

/** The beginning of a file, cut behind its first block and closed there, which unpacks by itself; `null` = there is none. */
export function firstBlockOf(head: Uint8Array): Uint8Array | null {
  const header = headerOf(head)
  if (header === null) return null
  const block = blockAt(head.subarray(header.length, header.length + BLOCK_HEADER))
  if (typeof block === 'string' || header.length + block.length > head.length) return null
  // A header of its own: the other one tells the length of the whole, and of a sum behind it.
  const own = [...head.subarray(0, 4), WINDOW_ONLY, WINDOW_8_MIB]
  const first = head.slice(header.length, header.length + block.length)
  first[0] = (first[0] ?? 0) | 1
  return Buffer.concat([new Uint8Array(own), first])
}

/** Neither a size nor a sum nor a dictionary; the window stands in the next byte. */
const WINDOW_ONLY = 0
const WINDOW_8_MIB = 13 << 3

/** Bytes of the head that hold the first block, whatever it is. */
export const FIRST_BLOCK_BYTES = LONGEST_HEADER + BLOCK_HEADER + BLOCK_BYTES

interface Header {
  size: number | null
  length: number
  checksumBytes: number
  hasDictionary: boolean
  /** It has no window: the whole of it is one. */
  isSingle: boolean
}

function headerOf(bytes: Uint8Array): Header | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length < 6 || view.getUint32(0, true) !== MAGIC) return null
  const descriptor = view.getUint8(4)
  const isSingle = (descriptor & 0x20) !== 0
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] ?? 0
  const sizeBytes = [isSingle ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0
  const at = 5 + (isSingle ? 0 : 1) + dictionaryBytes
  if (bytes.length < at + sizeBytes) return null
  const checksumBytes = (descriptor & 4) === 0 ? 0 : 4
  const size = sizeAt(view, at, sizeBytes)
  return { size, length: at + sizeBytes, checksumBytes, hasDictionary: dictionaryBytes > 0, isSingle }
}

function sizeAt(view: DataView, at: number, bytes: number): number | null {
  if (bytes === 1) return view.getUint8(at)
  if (bytes === 2) return view.getUint16(at, true) + 256
  if (bytes === 4) return view.getUint32(at, true)
  return bytes === 8 ? Number(view.getBigUint64(at, true)) : null
}

/** @param bytes  its header. @returns its length with the header */
function blockAt(bytes: Uint8Array): { isLast: boolean; length: number } | 'cut' | 'bad' {
  const [low, middle, high] = bytes
  if (low === undefined || middle === undefined || high === undefined) return 'cut'
  const size = (low >> 3) | (middle << 5) | (high << 13)
  const type = (low >> 1) & 3
  if (type === 3 || size > BLOCK_BYTES) return 'bad'
  // A byte that is repeated stands once.
  return { isLast: (low & 1) === 1, length: BLOCK_HEADER + (type === 1 ? 1 : size) }
}
