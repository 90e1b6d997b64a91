import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { onEachDatabase } from '../store-contract/databases'
import { Crew } from './crew'
import { step } from './random-steps'
import { World } from './task-world'

/**
 * Random operations by random callers on a clock of the test's own; after each one everything that must always hold is read back
 * from the database. `LODELINE_LONG=1` does it twenty times as often.
 */
onEachDatabase((database) => {
  let runs = 0
  // Each run is later than the one before: agents and leases of former ones are long over.
  const nextCrew = () => new Crew(database.store, { now: Date.parse('2026-01-01T00:00:00Z') + runs * 86_400_000 })
  const numRuns = (database.kind === 'sqlite' ? 12 : 4) * (process.env.LODELINE_LONG === '1' ? 20 : 1)

  test('whatever is done by whomever, every task keeps its rules, and none starves', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 40, maxLength: 120, size: 'max' }), async (steps) => {
        const world = new World(nextCrew(), `r${database.kind}${++runs}`)
        await world.begin()
        for (const one of steps) await world.run(one)
        await world.drain()
      }),
      { numRuns, endOnFailure: true },
    )
    expect(runs).toBeGreaterThanOrEqual(numRuns)
  }, 3_600_000)
})
