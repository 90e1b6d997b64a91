import { expect, test } from 'bun:test'
import { sessionId } from '../../src/domain/ids'
import type { WriteTx } from '../../src/domain/store'
import { failureOf, onEachDatabase } from './databases'
import { followFeed } from './follow-feed'
import { freshId, sampleSession } from './sample'

onEachDatabase((database) => {
  const isThere = async (id: string): Promise<boolean> =>
    (await database.store.sessions.find(sessionId(id))) !== undefined

  test('a unit sees its own writes, and its value comes back', async () => {
    const id = freshId('own')
    const again = await database.store.write(async (tx) => {
      const made = await sampleSession(tx, { id })
      const found = await tx.record.session('claude-code', id, await tx.record.host('installation-1', 'box'))
      return found?.key === made.key && found.isNew === false
    })
    expect(again).toBe(true)
    expect(await isThere(id)).toBe(true)
  })

  test('a unit that fails leaves nothing, and those beside it are kept', async () => {
    const ids = [freshId('kept'), freshId('failed'), freshId('kept')]
    const outcomes = await Promise.allSettled(
      ids.map((id, i) =>
        database.store.write(async (tx) => {
          await sampleSession(tx, { id })
          if (i === 1) throw new Error('of the unit')
        }),
      ),
    )
    expect(outcomes.map((outcome) => outcome.status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(await Promise.all(ids.map(isThere))).toEqual([true, false, true])
  })

  test('a statement that fails does not poison the units beside it', async () => {
    const id = freshId('session')
    const outcomes = await Promise.allSettled([
      database.store.write((tx) => tx.record.project(4_242_424, '/nowhere', null, 'no such host')),
      database.store.write((tx) => sampleSession(tx, { id })),
    ])
    expect(outcomes[0]).toMatchObject({ status: 'rejected', reason: { code: 'conflict' } })
    expect(outcomes[1]).toMatchObject({ status: 'fulfilled' })
    expect(await isThere(id)).toBe(true)
  })

  test('a unit that awaits something foreign is rolled back', async () => {
    // Refused at once would be over before the loop's next turn, and hold up nobody.
    const slow = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => Bun.sleep(100).then(() => new Response()) })
    const foreign: [string, (tx: WriteTx) => Promise<unknown>][] = [
      ['a timer', () => Bun.sleep(50)],
      ['the network', () => fetch(slow.url).catch(() => undefined)],
      ['what never comes', () => new Promise(() => {})],
      ['a read of the store', () => database.store.sessions.count()],
      ['another unit', () => database.store.write(() => 1)],
    ]
    for (const [what, wait] of foreign) {
      const id = freshId('foreign')
      const error = await failureOf(
        database.store.write(async (tx) => {
          await sampleSession(tx, { id })
          await wait(tx)
        }),
      )
      expect([what, error.code]).toEqual([what, 'internal'])
      expect(await isThere(id)).toBe(false)
    }
    expect(await database.store.write(() => 'goes on')).toBe('goes on')
    await slow.stop(true)
  })

  test('a unit that ends before its own writes is rolled back', async () => {
    const id = freshId('hasty')
    const error = await failureOf(
      database.store.write(async (tx) => {
        const session = await sampleSession(tx, { id })
        void Promise.resolve(
          tx.sessions.setProcess(session.key, 1, { id: 1, started: null, state: 'alive', at: 1 }),
        ).catch(() => {})
      }),
    )
    expect(error.code).toBe('internal')
    expect(await isThere(id)).toBe(false)
  })

  test('a transaction is of no use after its unit', async () => {
    let kept: WriteTx | undefined
    await database.store.write((tx) => {
      kept = tx
    })
    const late = kept
    if (late === undefined) throw new Error('the unit did not run')
    const uses: (() => unknown)[] = [
      () => late.record.host('late', 'late'),
      () => late.appendFeed('session.updated', null),
      () => late.sessions.forget(1 as never),
    ]
    for (const use of uses) expect((await failureOf((async () => use())())).code).toBe('internal')
  })

  test('the clock stands still within a unit', async () => {
    const times = await database.store.write(async (tx) => {
      const first = tx.now
      for (let i = 0; i < 50; i++) await tx.record.host('installation-1', 'box')
      return [first, tx.now]
    })
    expect(times[0]).toBe(times[1] as number)
    expect(Math.abs((times[0] ?? 0) - Date.now())).toBeLessThan(60_000)
  })

  test('many units at once all count', async () => {
    const before = await database.store.feed.head()
    await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        database.store.write((tx) => tx.appendFeed('session.updated', null, { i }), {
          weight: i % 2 === 0 ? 'bulk' : 'interactive',
        }),
      ),
    )
    const entries = await followFeed(database.store, before, (all) => all.length >= 100)
    expect(new Set(entries.map((entry) => entry.data.i)).size).toBe(100)
  })

  test('a closed store finishes what was asked before and refuses what is asked after', async () => {
    const store = await database.open()
    const id = freshId('last')
    const last = store.write((tx) => sampleSession(tx, { id }))
    await store.close()
    await last
    expect(await isThere(id)).toBe(true)
    expect((await failureOf(store.write(() => 1))).code).toBe('unavailable')
    expect((await failureOf(store.sessions.count())).code).toBe('unavailable')
  })

  test('a store for reading only refuses to write', async () => {
    const store = await database.open({ mode: 'read-only' })
    expect((await failureOf(store.write(() => 1))).code).toBe('storage_readonly')
    expect(await store.sessions.count()).toBeGreaterThan(0)
    await store.close()
  })
})
