import { expect, test } from 'bun:test'
import { feedSeq } from '../../src/domain/ids'
import { failureOf, onEachDatabase } from './databases'
import { followFeed } from './follow-feed'
import { freshId, sampleSession } from './sample'

const WRITERS = ['a', 'b', 'c', 'd']
const UNITS = 60

onEachDatabase((database) => {
  test('the feed starts empty, and its entries say what was written', async () => {
    expect(await database.store.feed.head()).toBe(feedSeq(0))
    const session = await database.store.write(async (tx) => {
      const made = await sampleSession(tx, { id: freshId('told') })
      await tx.appendFeed('session.created', { key: made.key, id: made.id as never }, { text: 'é"\n' })
      return made
    })
    const [entry] = await followFeed(database.store, feedSeq(0), (all) => all.length > 0)
    expect(entry).toMatchObject({ kind: 'session.created', sessionId: session.id, data: { text: 'é"\n' } })
    expect(Math.abs(Date.parse(entry?.at ?? '') - Date.now())).toBeLessThan(60_000)
  })

  test('a unit that failed tells nothing', async () => {
    const before = await database.store.feed.head()
    await failureOf(
      database.store.write(async (tx) => {
        await tx.appendFeed('session.updated', null, { no: true })
        throw new Error('of the unit')
      }),
    )
    await database.store.write((tx) => tx.appendFeed('session.updated', null, { yes: true }))
    const entries = await followFeed(database.store, before, (all) => all.length > 0)
    expect(entries.map((entry) => entry.data)).toEqual([{ yes: true }])
  })

  test('a reader skips and doubles nothing while four stores write at once, and numbers are dense', async () => {
    const before = await database.store.feed.head()
    const reading = followFeed(database.store, before, (all) => all.length >= WRITERS.length * UNITS)
    const stores = await Promise.all(WRITERS.map(() => database.open()))
    await Promise.all(
      stores.map(async (store, i) => {
        for (let unit = 0; unit < UNITS; unit++) {
          await store.write((tx) => tx.appendFeed('session.updated', null, { writer: WRITERS[i], unit }))
        }
      }),
    )
    const entries = await reading
    await Promise.all(stores.map((store) => store.close()))

    expect(entries.map((entry) => entry.seq)).toEqual(entries.map((_, i) => feedSeq(before + i + 1)))
    for (const writer of WRITERS) {
      const units = entries.filter((entry) => entry.data.writer === writer).map((entry) => entry.data.unit)
      expect(units).toEqual(Array.from({ length: UNITS }, (_, unit) => unit))
    }
    expect(await database.store.feed.after(feedSeq(before + WRITERS.length * UNITS), 10)).toEqual([])
  })

  test('another store on the same database is woken', async () => {
    const other = await database.open()
    const before = await other.feed.head()
    const reading = followFeed(other, before, (all) => all.length > 0)
    await database.store.write((tx) => tx.appendFeed('session.updated', null, { from: 'elsewhere' }))
    expect((await reading)[0]?.data).toEqual({ from: 'elsewhere' })
    await other.close()
  })

  test('after unsubscribing nothing is called any more', async () => {
    let calls = 0
    const unsubscribe = database.store.feed.onChange(() => calls++)
    const before = await database.store.feed.head()
    const seen = followFeed(database.store, before, (all) => all.length > 0)
    unsubscribe()
    const callsThen = calls
    await database.store.write((tx) => tx.appendFeed('session.updated', null))
    await seen
    expect(calls).toBe(callsThen)
  })
})
