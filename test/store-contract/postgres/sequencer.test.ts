/** The feed's numbers, where several processes give them. */
import { expect, spyOn, test } from 'bun:test'
import { SQL } from 'bun'
import { openStore } from '../../../src/store/open'
import { PostgresPool } from '../../../src/store/postgres/postgres-pool'
import { PostgresSequencer } from '../../../src/store/postgres/postgres-sequencer'
import { make } from '../databases'

/** For how long somebody else is at it, in milliseconds. */
const HELD_MS = 400

test('who finds another at it looks seldom, and numbers what the other missed', async () => {
  const { place, remove } = await make('postgres')
  const url = place.url ?? ''
  await (await openStore({ url, mode: 'read-write', migrate: true })).close()
  const pool = new PostgresPool(url, {})
  const other = new SQL(url, { max: 1 })
  const sequencer = new PostgresSequencer(pool, (thrown) => {
    throw thrown
  })
  const looks = spyOn(pool, 'execute')
  try {
    await other.begin(async (held) => {
      await held`select seq from feed_position for update`
      await pool.execute(`insert into feed (at, kind, data) values (0, 'task.updated', '{}')`, [])
      looks.mockClear()
      sequencer.wake()
      await Bun.sleep(HELD_MS)
    })
    // Each five milliseconds it would be some seventy.
    expect(looks.mock.calls.length).toBeGreaterThan(1)
    expect(looks.mock.calls.length).toBeLessThan(HELD_MS / 15)
    await sequencer.close()
    expect([...(await other`select seq::int from feed`)]).toEqual([{ seq: 1 }])
  } finally {
    looks.mockRestore()
    await other.close()
    await pool.close()
    await remove()
  }
})
