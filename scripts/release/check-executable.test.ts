import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkExecutable, LARGEST_BYTES } from './check-executable'
import { hostTarget, TARGETS, type Target } from './targets'

const folder = mkdtempSync('/tmp/ld-')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The beginning of an executable for a target, as the formats of the systems have it. */
function head({ os, cpu, libc }: Target): Buffer {
  const bytes = Buffer.alloc(8192)
  if (os === 'linux') {
    bytes.write('\x7fELF', 'latin1')
    bytes.writeUInt16LE(cpu === 'x64' ? 62 : 183, 18)
    bytes.write(libc === 'musl' ? '/lib/ld-musl-x86_64.so.1' : '/lib64/ld-linux-x86-64.so.2', 600)
  } else if (os === 'darwin') {
    bytes.writeUInt32LE(0xfeed_facf, 0)
    bytes.writeUInt32LE(cpu === 'x64' ? 0x0100_0007 : 0x0100_000c, 4)
  } else {
    bytes.write('MZ')
    bytes.writeUInt32LE(0x80, 0x3c)
    bytes.write('PE\0\0', 0x80)
    bytes.writeUInt16LE(cpu === 'x64' ? 0x8664 : 0xaa64, 0x84)
  }
  return bytes
}

function file(bytes: Uint8Array): string {
  const path = join(folder, `${Math.random()}`)
  writeFileSync(path, bytes)
  return path
}

test.each(TARGETS.map((target) => [target.name, target] as const))(
  '%s is told from every other system',
  async (_, one) => {
    const path = file(head(one))
    expect(await checkExecutable(path, one)).toEqual({ bytes: 8192 })
    for (const other of TARGETS.filter((target) => target !== one)) {
      const answer = await checkExecutable(path, other).catch((error: Error) => error.message)
      expect([other.name, answer]).toEqual([other.name, expect.stringMatching(/no executable|another/)])
    }
  },
)

test('the runtime that runs this is for this system', async () => {
  const host = hostTarget()
  if (host === undefined) throw new Error('A release has no executable for this system.')
  expect((await checkExecutable(process.execPath, host)).bytes).toBeGreaterThan(10_000_000)
})

test('one that is too large is refused', async () => {
  const [target] = TARGETS
  if (target === undefined) throw new Error('There is no target.')
  const path = file(head(target))
  truncateSync(path, LARGEST_BYTES + 1)
  expect(checkExecutable(path, target)).rejects.toThrow('at most')
})
