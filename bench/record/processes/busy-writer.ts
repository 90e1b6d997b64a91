/** Writes to a record, one small transaction after another, until its standard input ends: `busy-writer.ts HOME`. */
import { openDatabase } from '../../../src/app/threads/database'
import { unitsOf, writeUnits } from '../data/recorded-units'

const [home = ''] = process.argv.slice(2)
let isOver = false
Bun.stdin.text().then(() => {
  isOver = true
})
const store = await openDatabase({ home, databaseUrl: null }, { mode: 'read-write' })
for (let seed = 1; !isOver; seed++) {
  const units = unitsOf({ events: 512, perUnit: 16, seed })
  for (const unit of units) {
    await writeUnits(store, [unit])
    if (seed === 1 && unit === units[0]) process.stdout.write('writing\n')
    if (isOver) break
  }
}
await store.close()
