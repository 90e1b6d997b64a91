/** Writes units of two feed rows to the store in its argument, eight at a time, and prints each unit's number once it is acknowledged. */
import { writeSync } from 'node:fs'
import { openStore, type StorePlace } from '../../src/store/open'

const place = JSON.parse(process.argv[2] ?? '{}') as StorePlace
const store = await openStore({ ...place, mode: 'read-write' })
let next = 0
const write = async (): Promise<never> => {
  for (;;) {
    const unit = next++
    await store.write(async (tx) => {
      await tx.appendFeed('session.updated', null, { unit, part: 1 })
      await tx.appendFeed('session.updated', null, { unit, part: 2 })
    })
    writeSync(1, `${unit}\n`)
  }
}
await Promise.all(Array.from({ length: 8 }, write))
