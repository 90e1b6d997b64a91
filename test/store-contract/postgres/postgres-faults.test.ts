import { afterAll, beforeAll, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { openStore } from '../../../src/store/open'
import type { KeptStore } from '../../../src/store/sql/kept-store'
import { failureOf, make } from '../databases'
import { followFeed } from '../follow-feed'
import { sampleSession } from '../sample'

let url = ''
let remove: () => Promise<void>
let store: KeptStore

beforeAll(async () => {
  const made = await make('postgres')
  url = made.place.url ?? ''
  remove = made.remove
  store = await openStore({ url, mode: 'read-write', migrate: true })
})
afterAll(async () => {
  await store.close()
  await remove()
})

/** Ends all connections of the store, as a restart of the server would. */
async function endConnections(): Promise<number> {
  const sql = new SQL(url, { max: 1 })
  try {
    const ended: unknown[] = await sql.unsafe(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'lodeline'`,
    )
    return ended.length
  } finally {
    await sql.close()
  }
}

test('units that lock the same rows in another order all succeed', async () => {
  const [a, b] = await store.write(async (tx) => [await sampleSession(tx), await sampleSession(tx)] as const)
  const process = { id: 1, started: null, state: 'alive', at: 1 } as const
  await Promise.all(
    Array.from({ length: 4 }, (_, i) =>
      store.write(async (tx) => {
        const [first, second] = i % 2 === 0 ? [a, b] : [b, a]
        await tx.sessions.setProcess(first.key, 1, { ...process, at: i })
        await tx.sessions.setProcess(second.key, 1, { ...process, at: i })
      }),
    ),
  )
  // The server looks for deadlocks once a second.
})

test('after all connections were cut, reads, units and the feed go on', async () => {
  const before = await store.feed.head()
  const reading = followFeed(store, before, (all) => all.some((entry) => entry.data.after === 'the cut'))
  await store.write((tx) => tx.appendFeed('session.updated', null, { before: 'the cut' }))
  expect(await endConnections()).toBeGreaterThan(0)
  // The first call after a cut may still meet a dead connection; it says so, and nothing of it is kept.
  for (let isWritten = false; !isWritten; ) {
    isWritten = await store
      .write((tx) => tx.appendFeed('session.updated', null, { after: 'the cut' }))
      .then(() => true)
      .catch((thrown) => {
        expect(thrown.code).toBe('unavailable')
        return false
      })
  }
  const entries = await reading
  expect(entries.filter((entry) => entry.data.after === 'the cut').length).toBe(1)
  expect(await store.sessions.count()).toBeGreaterThan(0)
})

test('what a killed process left in the feed without a number gets one, though nobody else writes', async () => {
  const before = await store.feed.head()
  const sql = new SQL(url, { max: 1 })
  const reading = followFeed(store, before, (all) => all.length === 2)
  await sql`insert into feed (at, kind, data) values (1, 'session.updated', '{"left":1}'), (1, 'session.updated', '{"left":2}')`
  await sql.close()
  // A unit that adds nothing to the feed, as a renewal is.
  await store.write((tx) => tx.tasks.leaseClock(1, 1))
  expect((await reading).map(({ data, seq }) => [data.left, seq - before])).toEqual([
    [1, 1],
    [2, 2],
  ])
})

test('a server that is away, a login that is refused and a URL that is none give typed errors', async () => {
  const away = new URL(url)
  away.port = '1'
  expect((await failureOf(openStore({ url: away.href, mode: 'read-only' }))).code).toBe('unavailable')
  const nobody = new URL(url)
  nobody.username = 'nobody_of_that_name'
  expect((await failureOf(openStore({ url: nobody.href, mode: 'read-only' }))).code).toBe('unavailable')
  const nowhere = new URL(url)
  nowhere.pathname = '/no_such_database'
  expect((await failureOf(openStore({ url: nowhere.href, mode: 'read-only' }))).code).toBe('unavailable')
  for (const wrong of ['', 'mysql://x', '/a/path', 'postgres//x']) {
    expect((await failureOf(openStore({ url: wrong, mode: 'read-only' }))).code).toBe('invalid')
  }
})
