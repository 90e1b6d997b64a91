import { expect, test } from 'bun:test'
import { crc32, deflateSync, inflateSync } from 'node:zlib'
import { shrinkPng } from './shrink-png'

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')

/** One chunk as the format has it. */
function chunk(type: string, data: Buffer): Buffer {
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(Buffer.concat([Buffer.from(type), data])))
  return Buffer.concat([length, Buffer.from(type), data, sum])
}

/** A picture of these lines, each `[filter, bytes after filtering]`, in two parts as browsers write large ones. */
function png(width: number, lines: [filter: number, bytes: number[]][], kind = '0802000000'): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(lines.length, 4)
  header.write(kind, 8, 'hex')
  const data = deflateSync(Buffer.from(lines.flatMap(([filter, bytes]) => [filter, ...bytes])))
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', data.subarray(0, 5)),
    chunk('IDAT', data.subarray(5)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** The colours of a picture with a palette and without filters, line by line. */
function colours(picture: Buffer): string[][] {
  const parts = new Map<string, Buffer>()
  for (let at = 8; at < picture.length; ) {
    const length = picture.readUInt32BE(at)
    const named = picture.subarray(at + 4, at + 8 + length)
    expect(picture.readUInt32BE(at + 8 + length)).toBe(crc32(named))
    parts.set(named.toString('latin1', 0, 4), named.subarray(4))
    at += 12 + length
  }
  const [header, palette, data] = ['IHDR', 'PLTE', 'IDAT'].map((type) => parts.get(type) ?? Buffer.alloc(0))
  expect([...parts.keys(), header?.toString('hex', 8)]).toEqual(['IHDR', 'PLTE', 'IDAT', 'IEND', '0803000000'])
  const width = header?.readUInt32BE(0) ?? 0
  const lines = inflateSync(data ?? Buffer.alloc(0))
  return Array.from({ length: header?.readUInt32BE(4) ?? 0 }, (_, y) => {
    const [filter, ...line] = lines.subarray(y * (width + 1), (y + 1) * (width + 1))
    expect(filter).toBe(0)
    return line.map((index) => palette?.toString('hex', index * 3, index * 3 + 3) ?? '')
  })
}

test('keeps every pixel, whichever way its line is filtered', () => {
  // Worked out by hand: each line foretells from its left, above and corner neighbours.
  const picture = png(2, [
    [0, [10, 20, 30, 40, 50, 60]],
    [1, [1, 2, 3, 4, 5, 6]],
    [2, [1, 1, 1, 250, 0, 2]],
    [3, [0, 0, 0, 9, 9, 9]],
    [4, [1, 2, 3, 0, 0, 255]],
  ])
  expect(colours(shrinkPng(picture))).toEqual([
    ['0a141e', '28323c'],
    ['010203', '050709'],
    ['020304', 'ff070b'],
    ['010102', '890d0f'],
    ['020305', '890d0e'],
  ])
})

test('of more than 256 colours the rare ones stay that nothing is like, others become the nearest', () => {
  // Every grey but one twice, and once a red, which is like none, and a white that is not quite.
  const greys = Array.from({ length: 255 }, (_, grey) => [grey + 1, grey + 1, grey + 1])
  const [line] = colours(shrinkPng(png(512, [[0, [...greys, ...greys, [255, 0, 0], [255, 254, 255]].flat()]])))
  const hex = greys.map((grey) => Buffer.from(grey).toString('hex'))
  expect(line).toEqual([...hex, ...hex, 'ff0000', 'ffffff'])
})

test('refuses what it does not know', () => {
  expect(() => shrinkPng(Buffer.from('GIF89a'))).toThrow('not a PNG')
  expect(() => shrinkPng(png(1, [[0, [1, 2, 3, 4]]], '0806000000'))).toThrow('not a picture')
  expect(() => shrinkPng(png(1, [[5, [1, 2, 3]]]))).toThrow('no filter is 5')
})
