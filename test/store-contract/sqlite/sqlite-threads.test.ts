import { expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { feedSeq } from '../../../src/domain/ids'
import { openStore } from '../../../src/store/open'
import { createWriteGate } from '../../../src/store/sql/write-gate'
import { temporaryFolder } from '../databases'
import { followFeed } from '../follow-feed'

const THREADS = 3
const UNITS = 100

test('threads with a gate write bulk units side by side while interactive ones of the main thread go through', async () => {
  const folder = temporaryFolder()
  const path = join(folder, 'lodeline.db')
  const gate = createWriteGate()
  // A unit that met a lock of another thread would fail at once.
  const store = await openStore({ path, mode: 'read-write', migrate: true, gate, busyTimeoutMs: 0 })
  const threads = Array.from({ length: THREADS }, () => new Worker(new URL('./bulk-thread.ts', import.meta.url)))
  try {
    const done = threads.map(
      (thread, number) =>
        new Promise<string>((resolve, reject) => {
          thread.onmessage = (event: MessageEvent) => resolve(event.data)
          thread.onerror = (event: ErrorEvent) => reject(new Error(event.message))
          thread.postMessage({ path, gate, number, units: UNITS })
        }),
    )
    for (let unit = 0; unit < UNITS; unit++) {
      await store.write((tx) => tx.appendFeed('session.updated', null, { number: 'main', unit }))
    }
    expect(await Promise.all(done)).toEqual(Array(THREADS).fill('done'))
    const entries = await followFeed(store, feedSeq(0), (all) => all.length >= (THREADS + 1) * UNITS)
    expect(entries.map((entry) => entry.seq)).toEqual(entries.map((_, i) => feedSeq(i + 1)))
    for (const number of [...Array(THREADS).keys(), 'main']) {
      const units = entries.filter((entry) => entry.data.number === number).map((entry) => entry.data.unit)
      expect(units).toEqual([...Array(UNITS).keys()])
    }
  } finally {
    for (const thread of threads) thread.terminate()
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  }
})
