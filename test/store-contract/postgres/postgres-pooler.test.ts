/** A pooler in transaction mode before the database. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { sessionId } from '../../../src/domain/ids'
import { openAdmin } from '../../../src/store/admin'
import { openPostgresStore } from '../../../src/store/postgres/postgres-store'
import type { KeptStore } from '../../../src/store/sql/kept-store'
import { failureOf, make } from '../databases'
import { followFeed } from '../follow-feed'
import { sampleSession } from '../sample'
import { type Pooler, startPooler } from './pooler'

let place: { url: string; directUrl: string }
let remove: () => Promise<void>
let pooler: Pooler
let store: KeptStore
beforeAll(async () => {
  const made = await make('postgres')
  remove = made.remove
  const direct = new URL(made.place.url ?? '')
  pooler = await startPooler(direct, 3)
  const url = new URL(direct)
  url.host = `127.0.0.1:${pooler.port}`
  place = { url: url.href, directUrl: direct.href }
  store = await openPostgresStore({ ...place, mode: 'read-write', migrate: true })
})
afterAll(async () => {
  await store?.close()
  await pooler?.[Symbol.asyncDispose]()
  await remove()
})

test('units, reads and the feed work on sessions that change with each transaction, and leave nothing in them', async () => {
  const before = await store.feed.head()
  const all = (entries: readonly { data: Record<string, unknown> }[]) =>
    new Set(entries.map(({ data }) => data.n).filter((n) => n !== undefined)).size === 40
  const reading = followFeed(store, before, all)
  await Promise.all(
    Array.from({ length: 40 }, async (_, n) => {
      const session = await store.write(async (tx) => {
        const { key, id } = await sampleSession(tx)
        await tx.appendFeed('session.updated', { key, id: sessionId(id) }, { n })
        return sessionId(id)
      })
      expect((await store.sessions.find(session))?.id).toBe(session)
    }),
  )
  expect(all(await reading)).toBe(true)
  expect(await store.sessions.count()).toBe(40)
  // Otherwise the test shows nothing.
  expect(pooler.moved()).toBeGreaterThan(20)
  expect(pooler.refused).toEqual([])
})

test('what needs a session of its own goes past the pooler', async () => {
  await using admin = await openAdmin(place)
  await admin.vacuum()
  expect((await admin.migrationStatus()).pending).toEqual([])
  expect(pooler.refused).toEqual([])
})

test('a pooler that is not named as one is refused, with what to set', async () => {
  const failure = await failureOf(openPostgresStore({ url: place.url, mode: 'read-write' }))
  expect(failure).toMatchObject({
    code: 'invalid',
    hint: 'Set databaseDirectUrl to the address of the database itself.',
  })
})
