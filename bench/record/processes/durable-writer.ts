/**
 * One of several processes that write to one database: `durable-writer.ts HOME SEED`. Prints how many events were acknowledged,
 * and how often a unit waited too long for the others and was given again.
 */

import { openDatabase } from '../../../src/app/threads/database'
import { isAppError } from '../../../src/domain/errors'
import { unitsOf, writeUnits } from '../data/recorded-units'

const [home = '', seed = ''] = process.argv.slice(2)
const units = unitsOf({ events: 4_000, perUnit: 64, seed: Number(seed) })
const store = await openDatabase({ home, databaseUrl: null }, { mode: 'read-write' })
const told = { acknowledged: 0, refused: 0 }
for (const unit of units)
  for (let isWritten = false; !isWritten; ) {
    try {
      await writeUnits(store, [unit])
      isWritten = true
      told.acknowledged += unit.events
    } catch (error) {
      if (!isAppError(error) || error.code !== 'unavailable') throw error
      told.refused++
    }
  }
await store.close()
process.stdout.write(JSON.stringify(told))
