import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type TarFile, writeTar } from './tar-write'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp('/tmp/ld-')
})
afterAll(() => rm(folder, { recursive: true }))

async function* inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 700) yield bytes.subarray(at, at + 700)
}

const file = (path: string, bytes: Uint8Array): TarFile => ({
  path,
  size: bytes.length,
  modifiedAt: 1_700_000_000,
  bytes: inPieces(bytes),
})

test('the system’s tar unpacks long, odd and empty files byte for byte', async () => {
  const files = [
    file('a.jsonl', crypto.getRandomValues(new Uint8Array(5_000))),
    file('empty.jsonl', new Uint8Array(0)),
    file('block.bin', crypto.getRandomValues(new Uint8Array(1_024))),
    file(`${'deep/'.repeat(30)}${'n'.repeat(120)}.jsonl`, crypto.getRandomValues(new Uint8Array(513))),
    file('ünï code/wörld.jsonl', crypto.getRandomValues(new Uint8Array(1))),
  ]
  const contents = await Promise.all(files.map(async ({ bytes }) => Buffer.concat(await Array.fromAsync(bytes))))
  const again = files.map((one, i) => file(one.path, contents[i] ?? new Uint8Array(0)))
  await Bun.write(join(folder, 'x.tar'), Buffer.concat(await Array.fromAsync(writeTar(again))))
  const run = Bun.spawnSync(['tar', 'xf', join(folder, 'x.tar'), '-C', folder])
  expect([run.exitCode, run.stderr.toString()]).toEqual([0, ''])
  for (const [i, { path }] of files.entries()) {
    expect(Buffer.compare(await readFile(join(folder, path)), contents[i] ?? Buffer.alloc(0))).toBe(0)
  }
})

test('a file that gives more or less than its size breaks the archive off instead of spoiling it', async () => {
  for (const size of [9, 11]) {
    const odd = { ...file('x', new Uint8Array(10)), size }
    await expect(Array.fromAsync(writeTar([odd]))).rejects.toThrow('instead of the announced')
  }
})
