import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { claimFile } from './claim-file'

let folder: string
beforeEach(() => {
  folder = mkdtempSync('/tmp/ld-')
})
afterEach(() => rmSync(folder, { recursive: true }))

test('of processes that want the same names at once, exactly one gets each, and its text is whole', async () => {
  const text = 'x'.repeat(100_000)
  const script = `
    import { claimFile } from ${JSON.stringify(join(import.meta.dir, 'claim-file.ts'))}
    const made = []
    for (let n = 0; n < 50; n++) if (claimFile(${JSON.stringify(folder)} + '/claim.' + n, process.pid + ' ' + ${JSON.stringify(text)})) made.push(n)
    console.log(JSON.stringify({ pid: process.pid, made }))`
  const outputs = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe', stderr: 'inherit' })
      return JSON.parse(await child.stdout.text()) as { pid: number; made: number[] }
    }),
  )
  const all = outputs.flatMap(({ made }) => made)
  expect(all.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, n) => n))
  for (const { pid, made } of outputs)
    for (const n of made) expect(readFileSync(join(folder, `claim.${n}`), 'utf8')).toBe(`${pid} ${text}`)
  // No draft is left.
  expect(readdirSync(folder).length).toBe(50)
})

test('a claim stands as it was made, closed to other users', () => {
  const path = join(folder, 'one')
  expect(claimFile(path, 'first', { isDurable: true })).toBe(true)
  expect(claimFile(path, 'second')).toBe(false)
  expect(readFileSync(path, 'utf8')).toBe('first')
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('a folder that is not there is an error, not a lost claim', () => {
  expect(() => claimFile(join(folder, 'none', 'one'), '')).toThrow('ENOENT')
})
