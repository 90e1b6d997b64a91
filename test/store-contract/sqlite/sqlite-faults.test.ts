import { afterEach, beforeEach, expect, test } from 'bun:test'
import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sessionId } from '../../../src/domain/ids'
import { openStore } from '../../../src/store/open'
import { mapSqliteError } from '../../../src/store/sqlite/sqlite-errors'
import { failureOf, temporaryFolder } from '../databases'
import { sampleSession } from '../sample'

let folder: string
let path: string
beforeEach(() => {
  folder = temporaryFolder()
  path = join(folder, 'home', 'lodeline.db')
})
afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

/** A database with some sessions; the file is closed again. */
async function recorded(count = 3): Promise<string[]> {
  const store = await openStore({ path, mode: 'read-write', migrate: true })
  const ids: string[] = []
  for (let i = 0; i < count; i++) ids.push((await store.write((tx) => sampleSession(tx))).id)
  await store.maintain('checkpoint')
  await store.close()
  return ids
}

/** What a child process, run with `limits` of the shell, answers. */
async function runChild(limits: string, ...args: string[]): Promise<{ acked: number; code: string; goesOn: boolean }> {
  const command = `${limits}; exec "$0" "$@"`
  const child = Bun.spawn(
    ['/bin/sh', '-c', command, process.execPath, `${import.meta.dir}/filling-child.ts`, path, ...args],
    { stdout: 'pipe', stderr: 'inherit' },
  )
  const answer = await child.stdout.text()
  expect(await child.exited).toBe(0)
  return JSON.parse(answer)
}

test('the folder and the files are for their owner alone', async () => {
  await recorded()
  const store = await openStore({ path, mode: 'read-write' })
  await store.write((tx) => sampleSession(tx))
  expect(statSync(join(folder, 'home')).mode & 0o777).toBe(0o700)
  for (const file of [path, `${path}-wal`, `${path}-shm`]) expect(statSync(file).mode & 0o777).toBe(0o600)
  await store.close()
})

test('a file that was left open to others is closed to them', async () => {
  await recorded()
  chmodSync(path, 0o644)
  await (await openStore({ path, mode: 'read-write' })).close()
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('no space: a typed error, what was acknowledged is there, and it goes on once there is space', async () => {
  const ids = await recorded()
  // The limit of a file's size stands for a full disk: the system refuses the write in the same place.
  const { acked, code, goesOn } = await runChild('trap "" XFSZ; ulimit -f 4000')
  expect(code).toBe('storage_full')
  expect(goesOn).toBe(true)
  expect(acked).toBeGreaterThan(0)
  const store = await openStore({ path, mode: 'read-write' })
  expect(await store.sessions.count()).toBe(ids.length + acked)
  await store.write((tx) => sampleSession(tx))
  await store.close()
})

test('a file that can not be written: a typed error, and it can still be read', async () => {
  const ids = await recorded()
  const answer = await runChild(':', 'read-only')
  expect(answer).toEqual({ acked: 0, code: 'storage_readonly', goesOn: true })
  const store = await openStore({ path, mode: 'read-only' })
  expect(await store.sessions.count()).toBe(ids.length)
  await store.close()
})

test('a file that is no database is refused and left as it is', async () => {
  await recorded()
  const junk = Buffer.from('this is no database, whatever its name says '.repeat(200))
  writeFileSync(path, junk)
  for (const settings of [{ mode: 'read-write', migrate: true }, { mode: 'read-only' }] as const) {
    expect((await failureOf(openStore({ path, ...settings }))).code).toBe('storage_corrupt')
  }
  expect(readFileSync(path).equals(junk)).toBe(true)
})

test('damaged pages give a typed error where they are read, and rows elsewhere are still there', async () => {
  const ids = await recorded(200)
  const bytes = readFileSync(path)
  // Overwrites the table of events and all else but the beginning, in a copy whose first pages stay.
  const damaged = Buffer.from(bytes)
  damaged.fill(0xa5, Math.floor(bytes.length / 2))
  writeFileSync(path, damaged)
  const codes = new Set<string>()
  const store = await openStore({ path, mode: 'read-write' }).catch((thrown) => {
    codes.add(thrown.code)
    return undefined
  })
  if (store !== undefined) {
    for (const id of ids) {
      await store.sessions.find(sessionId(id)).catch((thrown) => codes.add(thrown.code))
      await store.write((tx) => sampleSession(tx)).catch((thrown) => codes.add(thrown.code))
    }
    await store.close()
  }
  expect([...codes]).toEqual(['storage_corrupt'])
})

test('a missing file is not made by those who only look', async () => {
  for (const mode of ['read-only', 'read-write'] as const) {
    expect((await failureOf(openStore({ path, mode }))).code).toBe('not_found')
  }
  expect(statSync(path, { throwIfNoEntry: false })).toBeUndefined()
})

test('what is no error of the database keeps its own code', () => {
  expect(mapSqliteError(new TypeError('of the code'), path).code).toBe('internal')
})
