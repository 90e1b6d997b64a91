/** Makes a browser's picture of a page a third as large: 256 colours, and no filters, which help photographs only. */
import { crc32, deflateSync, inflateSync } from 'node:zlib'

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')
const MAX_COLOURS = 256
/** Of the only kind that is read: three bytes a pixel. */
const PIXEL_BYTES = 3

/**
 * A picture of up to 256 colours stays as it is, to the pixel. Of others some become the nearest that is left: shades at the edges of letters.
 *
 * @param png  8 bits a channel, no alpha, not interlaced, as Chromium writes it
 * @throws Error for any other picture
 */
export function shrinkPng(png: Uint8Array): Buffer {
  const chunks = readChunks(Buffer.from(png.buffer, png.byteOffset, png.length))
  const header = chunks.find(({ type }) => type === 'IHDR')?.data
  // Bit depth 8, colour type 2 (truecolour), and the only known compression, filters and order.
  if (header?.subarray(8).toString('hex') !== '0802000000')
    throw new Error('not a picture as browsers make it of a page')
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)]
  const packed = Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data))
  const pixels = unfilter(inflateSync(packed), width * PIXEL_BYTES, height)
  const colours = readColours(pixels)
  const palette = choosePalette(colours)
  const lines = Buffer.alloc((width + 1) * height)
  const indexOf = nearestIn(palette)
  for (let at = 0; at < colours.length; at++) {
    // Each line begins with a byte that says how it is filtered: 0 = not at all.
    lines[at + Math.floor(at / width) + 1] = indexOf(colours[at] ?? 0)
  }
  const indexed = Buffer.from(header)
  indexed[9] = 3
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', indexed),
    chunk('PLTE', Buffer.from(palette.flatMap((colour) => channels(colour)))),
    chunk('IDAT', deflateSync(lines, { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

interface Chunk {
  type: string
  data: Buffer
}

function readChunks(png: Buffer): Chunk[] {
  if (!png.subarray(0, 8).equals(SIGNATURE)) throw new Error('not a PNG')
  const chunks: Chunk[] = []
  for (let at = 8; at < png.length; ) {
    const end = at + 8 + png.readUInt32BE(at)
    chunks.push({ type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, end) })
    at = end + 4
  }
  return chunks
}

function chunk(type: string, data: Buffer): Buffer {
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}

/** Undoes the five filters of the format, of which each line names one. */
function unfilter(filtered: Buffer, stride: number, height: number): Buffer {
  const pixels = Buffer.alloc(stride * height)
  for (let y = 0; y < height; y++) {
    const filter = filtered[y * (stride + 1)] ?? 0
    for (let x = 0; x < stride; x++) {
      const at = y * stride + x
      const left = x >= PIXEL_BYTES ? (pixels[at - PIXEL_BYTES] ?? 0) : 0
      const above = y > 0 ? (pixels[at - stride] ?? 0) : 0
      const corner = x >= PIXEL_BYTES && y > 0 ? (pixels[at - stride - PIXEL_BYTES] ?? 0) : 0
      pixels[at] = (filtered[at + y + 1] ?? 0) + foretold(filter, left, above, corner)
    }
  }
  return pixels
}

function foretold(filter: number, left: number, above: number, corner: number): number {
  switch (filter) {
    case 0:
      return 0
    case 1:
      return left
    case 2:
      return above
    case 3:
      return (left + above) >> 1
    case 4:
      return paeth(left, above, corner)
    default:
      throw new Error(`no filter is ${filter}`)
  }
}

function paeth(left: number, above: number, corner: number): number {
  const sum = left + above - corner
  const [byLeft, byAbove, byCorner] = [Math.abs(sum - left), Math.abs(sum - above), Math.abs(sum - corner)]
  if (byLeft <= byAbove && byLeft <= byCorner) return left
  return byAbove <= byCorner ? above : corner
}

/** A number for each pixel: 0xrrggbb. */
const readColours = (pixels: Buffer): number[] =>
  Array.from({ length: pixels.length / PIXEL_BYTES }, (_, at) => pixels.readUIntBE(at * PIXEL_BYTES, PIXEL_BYTES))

const channels = (colour: number): [number, number, number] => [colour >> 16, (colour >> 8) & 255, colour & 255]

/**
 * The most frequent colour, then each time the one that is worst off with those before it. The most frequent alone would be shades of
 * the letters, and a small red sign would turn grey.
 */
function choosePalette(colours: readonly number[]): number[] {
  const counts = new Map<number, number>()
  for (const colour of colours) counts.set(colour, (counts.get(colour) ?? 0) + 1)
  const left = [...counts].map(([colour, count]) => ({ colour, count, away: Number.MAX_SAFE_INTEGER / colours.length }))
  const palette: number[] = []
  while (palette.length < MAX_COLOURS) {
    const worst = left.reduce((a, b) => (b.count * b.away > a.count * a.away ? b : a))
    if (worst.away === 0) break
    palette.push(worst.colour)
    for (const each of left) each.away = Math.min(each.away, distance(each.colour, worst.colour))
  }
  return palette
}

/** Squared. */
function distance(a: number, b: number): number {
  const [one, other] = [channels(a), channels(b)]
  return one.reduce((sum, value, at) => sum + (value - (other[at] ?? 0)) ** 2, 0)
}

/** Says of a colour where the nearest of the palette stands. */
function nearestIn(palette: readonly number[]): (colour: number) => number {
  const known = new Map(palette.map((colour, at) => [colour, at]))
  return (colour) => {
    const found = known.get(colour)
    if (found !== undefined) return found
    const nearest = palette.reduce(
      (best, other, at) => (distance(colour, other) < distance(colour, palette[best] ?? 0) ? at : best),
      0,
    )
    known.set(colour, nearest)
    return nearest
  }
}
