import { afterAll, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { macSignature, signedForMac } from './mac-signature'

const folder = mkdtempSync('/tmp/ld-')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const PAGE = 4096
const CODE = 3 * PAGE + 100
const SEGMENT = { at: 32, size: 72 }
const SIGNATURE = { at: SEGMENT.at + SEGMENT.size, size: 16 }
const LAST = { at: SIGNATURE.at + SIGNATURE.size, size: 24 }

/** A program with a segment, a signature and one more command behind it, as a linker writes them. */
function program(): Buffer {
  const code = Buffer.alloc(CODE, 7)
  code.fill(0, 0, PAGE)
  code.writeUInt32LE(0xfeed_facf, 0)
  code.writeUInt32LE(3, 16)
  code.writeUInt32LE(SEGMENT.size + SIGNATURE.size + LAST.size, 20)
  code.writeUInt32LE(0x19, SEGMENT.at)
  code.writeUInt32LE(SEGMENT.size, SEGMENT.at + 4)
  code.write('__LINKEDIT', SEGMENT.at + 8)
  code.writeBigUInt64LE(BigInt(2 * PAGE), SEGMENT.at + 40)
  code.writeUInt32LE(0x1d, SIGNATURE.at)
  code.writeUInt32LE(SIGNATURE.size, SIGNATURE.at + 4)
  code.writeUInt32LE(CODE, SIGNATURE.at + 8)
  code.writeUInt32LE(0x1b, LAST.at)
  code.writeUInt32LE(LAST.size, LAST.at + 4)
  const pages = Math.ceil(CODE / PAGE)
  const signature = Buffer.alloc(20 + 44 + 32 * pages)
  code.writeUInt32LE(signature.length, SIGNATURE.at + 12)
  code.writeBigUInt64LE(BigInt(CODE + signature.length - 2 * PAGE), SEGMENT.at + 48)
  signature.writeUInt32BE(0xfade_0cc0, 0)
  signature.writeUInt32BE(1, 8)
  signature.writeUInt32BE(20, 16)
  signature.writeUInt32BE(0xfade_0c02, 20)
  signature.writeUInt32BE(44, 20 + 16)
  signature.writeUInt32BE(pages, 20 + 28)
  signature.writeUInt32BE(CODE, 20 + 32)
  signature.set([32, 2, 0, 12], 20 + 36)
  for (let page = 0; page < pages; page++)
    createHash('sha256')
      .update(code.subarray(page * PAGE, Math.min((page + 1) * PAGE, CODE)))
      .digest()
      .copy(signature, 20 + 44 + page * 32)
  return Buffer.concat([code, signature])
}

function file(bytes: Uint8Array): string {
  const path = join(folder, `${Math.random()}`)
  writeFileSync(path, bytes)
  return path
}

test('a signature that fits stays', async () => {
  const bytes = program()
  expect(macSignature(bytes)).toBe('valid')
  for (const cpu of ['x64', 'arm64'] as const) {
    const path = file(bytes)
    await signedForMac(path, { cpu })
    expect(readFileSync(path).equals(bytes)).toBe(true)
  }
})

test('one that fits no longer is taken out for Intel, and refused for Apple', async () => {
  const bytes = program()
  bytes[2 * PAGE + 5] = 8
  expect(macSignature(bytes)).toBe('damaged')
  await expect(signedForMac(file(bytes), { cpu: 'arm64' })).rejects.toThrow('no signature that fits')
  const path = file(bytes)
  await signedForMac(path, { cpu: 'x64' })
  const without = readFileSync(path)
  expect([macSignature(without), without.length, without.readUInt32LE(16)]).toEqual(['none', CODE, 2])
  // The segment ends with the file, and the last command is where the signature's was.
  expect(without.readBigUInt64LE(SEGMENT.at + 48)).toBe(BigInt(CODE - 2 * PAGE))
  expect(without.readUInt32LE(SIGNATURE.at)).toBe(0x1b)
  expect(without.readUInt32LE(20)).toBe(SEGMENT.size + LAST.size)
  expect(without.subarray(PAGE).equals(bytes.subarray(PAGE, CODE))).toBe(true)
})
