import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../../test/lab/until'
import type { RowLook } from '../domain/harness/harness-database'
import { RowFollower } from './row-follower'

const NOTHING: RowLook = { paths: [], isBehind: false, againInMs: null, problem: null }

let folder: string
let told: string[]
let follower: RowFollower | undefined
beforeEach(() => {
  folder = mkdtempSync('/tmp/ld-')
  told = []
})
afterEach(async () => {
  await follower?.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** Follows journals that answer each look by a function. @returns when the looks were */
function follow(look: (n: number) => RowLook | Promise<RowLook>): { looks: number[]; closed: () => boolean } {
  const looks: number[] = []
  let isClosed = false
  const journals = {
    watched: folder,
    async look() {
      looks.push(performance.now())
      return await look(looks.length)
    },
    close: () => {
      isClosed = true
    },
  }
  const log = {
    info: (message: string) => void told.push(message),
    warn: (_: string, fields?: Record<string, unknown>) => void told.push(String(fields?.problem)),
  }
  follower = new RowFollower([{ name: 'db', journals }], log)
  follower.start()
  return { looks, closed: () => isClosed }
}

test('a change of a file leads to a look at once, and none is lost while one goes on', async () => {
  let release = (): void => {}
  const { looks } = follow(async (n) => {
    if (n === 2) await new Promise<void>((done) => (release = done))
    return NOTHING
  })
  await until('the first look', () => looks.length === 1)
  writeFileSync(join(folder, 'a'), '1')
  await until('the second look', () => looks.length === 2)
  writeFileSync(join(folder, 'a'), '2')
  release()
  await until('the third look', () => looks.length === 3, 1_500)
})

test('what is due later is looked at without a change', async () => {
  const { looks } = follow((n) => (n < 5 ? { ...NOTHING, againInMs: 20 } : NOTHING))
  await until('five looks', () => looks.length === 5, 1_500)
})

test('a look that fails is told once and tried again; what is not understood is told', async () => {
  const { looks } = follow((n) => {
    if (n === 1) return { ...NOTHING, problem: 'strange', againInMs: 0 }
    if (n === 2) return { ...NOTHING, problem: 'strange', againInMs: 0 }
    if (n === 3) throw new Error('busy')
    return NOTHING
  })
  await until('a failure', () => told.length === 2)
  expect(told[0]).toBe('strange')
  expect(looks).toHaveLength(3)
})

test('its end waits for a look, closes the journals, and is followed by no other look', async () => {
  const { looks, closed } = follow(() => ({ ...NOTHING, againInMs: 0 }))
  await until('some looks', () => looks.length > 2)
  await follower?.stop()
  const count = looks.length
  writeFileSync(join(folder, 'a'), '1')
  await new Promise((done) => setImmediate(done))
  expect([looks.length, closed()]).toEqual([count, true])
})
