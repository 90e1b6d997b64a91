import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { writeTurn } from './write-turn'

let folder: string
beforeEach(() => {
  folder = mkdtempSync('/tmp/ld-')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const never = new AbortController().signal
const turn = (windowMs: number, signal = never) => writeTurn({ path: join(folder, 'turns/file'), windowMs, signal })

test('of many calls at once the first writes at once and one more behind the window; the rest leave it to that one', async () => {
  // What is written: the state at the moment when a turn begins.
  let state = 0
  const written: { state: number; at: number }[] = []
  const say = async () => {
    state++
    if (await turn(300)) written.push({ state, at: Date.now() })
  }
  await say()
  await Promise.all(Array.from({ length: 20 }, say))
  expect(written.map((one) => one.state)).toEqual([1, 21])
  const [first, last] = written
  expect((last?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(290)
})

test('who is asked to end does not wait, and after a killed one the next call has the turn', async () => {
  await turn(60_000)
  const code = `import { writeTurn } from '${join(import.meta.dir, 'write-turn')}'
    console.log('waits'); const asked = { path: '${join(folder, 'turns/file')}', windowMs: 60_000, signal: new AbortController().signal }
    while (!(await writeTurn(asked))) await Bun.sleep(1)`
  const waiting = Bun.spawn([process.execPath, '-e', code], { stdout: 'pipe' })
  await waiting.stdout.getReader().read()
  while (await turn(60_000, AbortSignal.abort())) await Bun.sleep(5)
  waiting.kill('SIGKILL')
  await waiting.exited
  expect(await turn(60_000, AbortSignal.abort())).toBe(true)
})
