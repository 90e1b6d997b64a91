import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdCompressSync } from 'bun'
import { headOfPacked, lookAt, openUnpacked, openUnpackedPart, readEither, unpackedSize } from './packed-file'
import { BLOCK_BYTES } from './zstd-frame'

let root: string
let path: string
beforeEach(() => {
  root = mkdtempSync('/tmp/ld-')
  path = join(root, 'a.jsonl')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

/** Lines that pack little, over several blocks. */
const LINES = Buffer.from(
  Array.from({ length: 9_000 }, (_, n) => `{"n":${n},"at":"${Bun.hash(`a${n}`)}${Bun.hash(`b${n}`)}"}\n`).join(''),
)
const PACKED = Buffer.from(zstdCompressSync(LINES))

/** A frame of blocks that each repeat one byte, which says how long it is, or does not. */
function repeated(blocks: number, stated: number | null): Buffer {
  const header = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, stated === null ? 0 : 0x80, 0x58])
  const size = Buffer.alloc(stated === null ? 0 : 4)
  if (stated !== null) size.writeUInt32LE(stated)
  const block = (isLast: boolean) => {
    const bits = (BLOCK_BYTES << 3) | (1 << 1) | Number(isLast)
    return Buffer.from([bits & 255, (bits >> 8) & 255, bits >> 16, 0x61])
  }
  return Buffer.concat([header, size, ...Array.from({ length: blocks }, (_, n) => block(n === blocks - 1))])
}

const temporary = (): string[] => readdirSync(tmpdir()).filter((name) => /^lode-.*\.tmp$/.test(name))

test('a packed file is read as what it unpacks to, with its own inode, and the plain one counts where both are there', async () => {
  writeFileSync(`${path}.zst`, PACKED)
  expect(await readEither(path)).toEqual(LINES)
  const window = await openUnpacked(path)
  expect([window?.size, window?.inode]).toEqual([LINES.length, statSync(`${path}.zst`).ino])
  expect(Buffer.from(window?.read(300_000, 50) ?? [])).toEqual(LINES.subarray(300_000, 300_050))
  window?.close()
  expect(lookAt(path)).toMatchObject({ size: LINES.length, ino: statSync(`${path}.zst`).ino })
  expect(Buffer.from(headOfPacked(path, 1_000) ?? [])).toEqual(LINES.subarray(0, 1_000))
  expect(headOfPacked(path, 10 * BLOCK_BYTES)?.length).toBeLessThanOrEqual(BLOCK_BYTES)
  writeFileSync(path, 'plain\n')
  expect(await openUnpacked(path)).toBeNull()
  expect((await readEither(path)).toString()).toBe('plain\n')
  expect(lookAt(path)?.size).toBe(6)
})

test('a file that does not say how long it is unpacks too', async () => {
  writeFileSync(`${path}.zst`, repeated(3, null))
  expect(unpackedSize(path)).toBe(3 * BLOCK_BYTES)
  expect((await readEither(path)).equals(Buffer.alloc(3 * BLOCK_BYTES, 'a'))).toBe(true)
})

test('what is cut, damaged or too large is refused in words, and leaves nothing behind', async () => {
  const before = temporary()
  const overlong = Buffer.from(PACKED)
  overlong.writeUInt8(0xff, 10)
  const wrong: Record<string, [Uint8Array, string]> = {
    empty: [new Uint8Array(), 'does not begin'],
    other: [Buffer.from('{"a":1}\n'), 'does not begin'],
    head: [PACKED.subarray(0, 5), 'does not begin'],
    cut: [PACKED.subarray(0, -1), 'its end is missing'],
    half: [PACKED.subarray(0, PACKED.length / 2), 'its end is missing'],
    more: [Buffer.concat([PACKED, Buffer.from('more')]), 'something behind its end'],
    twice: [Buffer.concat([PACKED, PACKED]), 'something behind its end'],
    long: [repeated(2, 3 * BLOCK_BYTES), 'longer than it can be'],
    short: [repeated(2, BLOCK_BYTES), 'damaged'],
    bomb: [repeated(20_000, null), 'would unpack to 2500 MiB'],
    stated: [repeated(20_000, 20_000 * BLOCK_BYTES), 'would unpack to 2500 MiB'],
    endless: [repeated(40_000, null), 'would unpack to more than 4096 MiB'],
    garbled: [overlong, 'damaged'],
  }
  for (const [name, [bytes, words]] of Object.entries(wrong)) {
    writeFileSync(`${path}.zst`, bytes)
    const error: unknown = await openUnpacked(path).then(
      () => null,
      (thrown: unknown) => thrown,
    )
    expect([name, error instanceof Error ? error.message : error]).toEqual([name, expect.stringContaining(words)])
  }
  expect(temporary().filter((name) => !before.includes(name))).toEqual([])
})

describe('of a file that is cut or damaged, the whole lines before the fault are taken', () => {
  /** The lines that are taken, once they are known to be the first ones; `null` = none. */
  async function taken(bytes: Uint8Array): Promise<{ share: number; brokenBy: string | null } | null> {
    writeFileSync(`${path}.zst`, bytes)
    const window = await openUnpackedPart(path).catch(() => null)
    if (window === null) return null
    try {
      const lines = Buffer.from(window.read(0, window.size + 1_000))
      expect(lines.length).toBe(window.size)
      expect(LINES.subarray(0, lines.length).equals(lines)).toBe(true)
      expect(lines.at(-1)).toBe(10)
      return { share: lines.length / LINES.length, brokenBy: window.brokenBy }
    } finally {
      window.close()
    }
  }

  test('all of them where only the end is missing, or something stands behind it', async () => {
    expect(await taken(PACKED)).toEqual({ share: 1, brokenBy: null })
    expect(await taken(Buffer.concat([PACKED, Buffer.from('more')]))).toMatchObject({ share: 1 })
    expect(await taken(zstdCompressSync(LINES, { level: 19 }).subarray(0, -1))).toMatchObject({
      brokenBy: expect.stringContaining('its end is missing'),
    })
  })

  test('wherever it is cut, no more than a block of them is lost', async () => {
    for (let cut = 1; cut < 20; cut++) {
      const length = Math.floor((PACKED.length * cut) / 20)
      const share = (await taken(PACKED.subarray(0, length)))?.share ?? 0
      // Its lines pack evenly.
      expect(share).toBeGreaterThanOrEqual(cut / 20 - (1.3 * BLOCK_BYTES) / LINES.length)
    }
  })

  test('whichever byte is wrong, the lines in blocks before it are taken as they were', async () => {
    let damaged = 0
    for (let at = 30; at < PACKED.length; at += 4_001) {
      const bytes = Buffer.from(PACKED)
      bytes.writeUInt8((bytes[at] ?? 0) ^ 0xff, at)
      writeFileSync(`${path}.zst`, bytes)
      const window = await openUnpackedPart(path).catch(() => null)
      // Without a checksum, a wrong letter among letters is not noticed.
      if (window?.brokenBy) damaged++
      const sure = Math.max(0, Math.floor((at / PACKED.length) * LINES.length - 1.3 * BLOCK_BYTES))
      expect(Buffer.from(window?.read(0, sure) ?? []).equals(LINES.subarray(0, sure))).toBe(true)
      window?.close()
    }
    expect(damaged).toBeGreaterThan(0)
  })

  test('none of what is no packed file, has no whole line, or is too large', async () => {
    const before = temporary()
    for (const bytes of [new Uint8Array(), Buffer.from('{"a":1}\n'), PACKED.subarray(0, 300), repeated(20_000, null)])
      expect(await taken(bytes)).toBeNull()
    expect(temporary().filter((name) => !before.includes(name))).toEqual([])
  })
})
