import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { feedSeq } from '../../src/domain/ids'
import { openStore, type StorePlace } from '../../src/store/open'
import { startPostgres } from '../postgres'
import { make } from './databases'
import { followFeed } from './follow-feed'

/** The child is killed after this many acknowledgements. */
const ACKS = 150

for (const kind of ['sqlite', 'postgres'] as const) {
  describe(kind, () => {
    let made: { place: StorePlace; remove: () => Promise<unknown> }
    beforeAll(async () => {
      if (kind === 'sqlite') {
        made = await make('sqlite')
        return
      }
      // One of its own: the shared test server may trade durability for speed.
      const server = await startPostgres({ fsync: true })
      made = { place: { url: server.url }, remove: () => server.stop() }
    })
    afterAll(() => made.remove())

    test('what was acknowledged is there after the writer was killed, and every unit is whole', async () => {
      const store = await openStore({ ...made.place, mode: 'read-write', migrate: true })
      const child = Bun.spawn([process.execPath, `${import.meta.dir}/writing-child.ts`, JSON.stringify(made.place)], {
        stdout: 'pipe',
        stderr: 'inherit',
      })
      const acked: number[] = []
      let rest = ''
      for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
        const lines = (rest + chunk).split('\n')
        rest = lines.pop() ?? ''
        acked.push(...lines.map(Number))
        if (acked.length >= ACKS) child.kill('SIGKILL')
      }
      await child.exited
      expect(child.signalCode).toBe('SIGKILL')

      const wanted = new Set(acked)
      await followFeed(store, feedSeq(0), (all) => {
        for (const entry of all) wanted.delete(Number(entry.data.unit))
        return wanted.size === 0
      })
      expect(wanted.size).toBe(0)
      // Each unit writes two rows: both or none. Read in one page, since the end of a page may be between the two.
      const parts = new Map<number, number>()
      for (const { data } of await store.feed.after(feedSeq(0), 10_000))
        parts.set(Number(data.unit), (parts.get(Number(data.unit)) ?? 0) + 1)
      expect([...new Set(parts.values())]).toEqual([2])
      await store.write((tx) => tx.appendFeed('session.updated', null, { unit: -1 }))
      await store.close()
    })
  })
}
