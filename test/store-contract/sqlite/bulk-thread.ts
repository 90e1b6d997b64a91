/** A thread that writes bulk units to a SQLite file through the process's gate, and says `done` or what failed. */
import { openStore } from '../../../src/store/open'

declare const self: Worker

self.onmessage = async (event: MessageEvent) => {
  const { path, gate, number, units } = event.data as {
    path: string
    gate: SharedArrayBuffer
    number: number
    units: number
  }
  try {
    const store = await openStore({ path, mode: 'read-write', gate, busyTimeoutMs: 0 })
    const writes: Promise<unknown>[] = []
    for (let unit = 0; unit < units; unit++) {
      writes.push(store.write((tx) => tx.appendFeed('session.updated', null, { number, unit }), { weight: 'bulk' }))
      if (unit % 10 === 9) await Promise.all(writes)
    }
    await Promise.all(writes)
    await store.close()
    self.postMessage('done')
  } catch (thrown) {
    self.postMessage(String(thrown))
  }
}
