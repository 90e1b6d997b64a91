import { expect, test } from 'bun:test'
import { simulate } from '../../bench/simulate/fleet'
import { onEachDatabase } from '../store-contract/databases'

onEachDatabase((database) => {
  test('nobody starves in a fleet that is too small: who wants less than a part gets all of it, also where machines vanish', async () => {
    const fleet = { machines: 6, agents: 3, users: 4, seconds: 900, load: 1.3, lost: 0.2, seed: 7 }
    const { begun, completed, waits, mostAtOnce, lostRuns } = await simulate({ store: database.store, ...fleet })
    expect(mostAtOnce).toBe(3)
    expect(completed).toBeGreaterThan(20)
    expect(lostRuns).toBeGreaterThan(0)
    // The first wants half of all and waits for it; what others want begins nearly at once.
    expect(waits.modest.p50).toBeLessThan(waits.greedy.p50)
    const [greedy = 1, ...modest] = begun
    for (const part of modest) expect(part).toBeGreaterThan(1.5 * greedy)
  })
})
