import { afterEach, beforeEach, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { openStore } from '../../../src/store/open'
import type { KeptStore } from '../../../src/store/sql/kept-store'
import { failureOf, temporaryFolder } from '../databases'
import { sampleSession } from '../sample'

let folder: string
let path: string
let store: KeptStore
let children: Bun.Subprocess<'pipe', 'pipe', 'inherit'>[]

beforeEach(async () => {
  folder = temporaryFolder()
  path = join(folder, 'lodeline.db')
  store = await openStore({ path, mode: 'read-write', migrate: true, busyTimeoutMs: 200 })
  children = []
})
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL')
  await Promise.all(children.map((child) => child.exited))
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Another process takes the write lock and keeps it until told to end. */
async function lockedByOther(): Promise<{ pid: number; release: () => Promise<void> }> {
  const child = Bun.spawn([process.execPath, `${import.meta.dir}/locking-child.ts`, path], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  children.push(child)
  const { value } = await child.stdout.getReader().read()
  expect(new TextDecoder().decode(value)).toBe('locked\n')
  return {
    pid: child.pid,
    release: async () => {
      await child.stdin.end()
      await child.exited
    },
  }
}

test('a foreign write lock delays no read and no turn of the loop, and the write goes through when it ends', async () => {
  const patient = await openStore({ path, mode: 'read-write', busyTimeoutMs: 60_000 })
  const lock = await lockedByOther()
  const order: string[] = []
  const write = patient.write((tx) => sampleSession(tx)).then(() => order.push('write'))
  for (let i = 0; i < 20; i++) {
    await patient.sessions.list({}, { limit: 10 })
    await new Promise((resolve) => setTimeout(resolve, 1))
    order.push('read and timer')
  }
  order.push('release')
  await lock.release()
  await write
  expect(order).toEqual([...Array(20).fill('read and timer'), 'release', 'write'])
  await patient.close()
})

test('a unit that waited too long fails with the name of who holds the lock, and leaves nothing', async () => {
  const lock = await lockedByOther()
  const error = await failureOf(store.write((tx) => sampleSession(tx)))
  expect(error.code).toBe('unavailable')
  if (process.platform === 'linux') expect(error.message).toContain(`(pid ${lock.pid})`)
  await lock.release()
  expect(await store.sessions.count()).toBe(0)
  await store.write((tx) => sampleSession(tx))
  expect(await store.sessions.count()).toBe(1)
})

test('a holder that is killed blocks nobody', async () => {
  await lockedByOther()
  const write = store.write((tx) => sampleSession(tx))
  children[0]?.kill('SIGKILL')
  await write
  expect(await store.sessions.count()).toBe(1)
})

test('while locked, opening and listing work', async () => {
  await store.write((tx) => sampleSession(tx))
  const lock = await lockedByOther()
  const reader = await openStore({ path, mode: 'read-only' })
  expect((await reader.sessions.list({}, { limit: 10 })).rows.length).toBe(1)
  await reader.close()
  const second = await openStore({ path, mode: 'read-write' })
  expect(await second.sessions.count()).toBe(1)
  await second.close()
  await lock.release()
})
