import { expect, test } from 'bun:test'
import { sessionId } from '../../src/domain/ids'
import { CLAIM_GRACE_MS } from '../../src/domain/issue/issue'
import type { Store } from '../../src/domain/store'
import { onEachDatabase } from '../store-contract/databases'
import { sampleSession } from '../store-contract/sample'
import { OPERATOR, refused, TrackerLab } from './tracker-lab'

/** A session that was heard of, with its process as it is now. */
async function session(
  store: Store,
  id: string,
  at: number,
): Promise<(state: 'alive' | 'gone', at: number) => Promise<void>> {
  const { key } = await store.write((tx) => sampleSession(tx, { id }))
  const process = (state: 'alive' | 'gone', when: number) =>
    store.write((tx) => tx.sessions.setProcess(key, 1, { id: 4711, started: null, state, at: when }))
  await process('alive', at)
  return async (state, when) => {
    await process(state, when)
  }
}

onEachDatabase((database) => {
  test('a claim of a session that is gone lapses after a grace time, and the feed says so', async () => {
    using lab = new TrackerLab(database.store)
    const id = await lab.create({ title: 'held' })
    const own = `${crypto.randomUUID()}`
    const seen = await session(database.store, own, lab.now)
    await lab.service.claim(OPERATOR, { ...lab.scope, sessionId: sessionId(own) }, id, {})
    await lab.service.sweep()
    expect((await lab.issue(id)).status).toBe('in_progress')
    expect(await lab.ready()).toEqual([])
    lab.now += 1_000
    await seen('gone', lab.now)
    expect(await lab.service.sweep()).toEqual({ lapsed: 0 })
    const [held] = await lab.list()
    expect(held?.claim).toMatchObject({ state: 'gone', sessionId: sessionId(own) })
    expect((await refused(lab.service.claim(OPERATOR, { ...lab.scope, actor: 'other' }, id, {}))).code).toBe('conflict')
    lab.now += CLAIM_GRACE_MS + 1_000
    expect(await lab.service.sweep()).toEqual({ lapsed: 1 })
    expect(await lab.issue(id)).toMatchObject({ status: 'open', assignee: null, activeTaskSession: null })
    expect(lab.lines().get(id)).toMatchObject({ status: 'open' })
    expect(await lab.ready()).toEqual([id])
    const head = await database.store.feed.head()
    const entries = await database.store.feed.after((head - 20) as never, 20)
    expect(entries.map(({ data }) => data.what)).toContain('claim_lapsed')
  })

  test('who comes back within the grace time still holds it', async () => {
    using lab = new TrackerLab(database.store)
    const id = await lab.create()
    const own = crypto.randomUUID()
    const seen = await session(database.store, own, lab.now)
    await lab.service.claim(OPERATOR, { ...lab.scope, sessionId: sessionId(own) }, id, {})
    lab.now += 1_000
    await seen('gone', lab.now)
    await lab.service.sweep()
    lab.now += 1_000
    await seen('alive', lab.now)
    lab.now += 2 * CLAIM_GRACE_MS
    await lab.service.sweep()
    await lab.service.sweep()
    expect((await lab.list())[0]?.claim).toMatchObject({ state: 'alive' })
  })

  test('a holder of whom nothing is known counts as alive', async () => {
    using lab = new TrackerLab(database.store)
    const [a, b] = [await lab.create(), await lab.create()]
    await lab.service.claim(OPERATOR, { ...lab.scope, sessionId: sessionId(crypto.randomUUID()) }, a, {})
    await lab.service.claim(OPERATOR, lab.scope, b, {})
    lab.now += 100 * CLAIM_GRACE_MS
    expect(await lab.service.sweep()).toEqual({ lapsed: 0 })
    expect((await lab.list()).map(({ claim }) => claim?.state)).toEqual(['unknown', 'unknown'])
    await lab.service.release(OPERATOR, lab.scope, b, {})
    expect(await lab.ready()).toEqual([b])
  })

  test('two who claim the next ready issue at once get two', async () => {
    using lab = new TrackerLab(database.store)
    const ids = [await lab.create({ priority: 0 }), await lab.create({ priority: 1 })]
    const got = await Promise.all(
      ['a', 'b', 'c'].map((actor) => lab.service.claimNext(OPERATOR, { ...lab.scope, actor }, {})),
    )
    expect(got.flatMap((one) => one.ids).sort()).toEqual([...ids].sort())
  })
})
