import { expect, test } from 'bun:test'
import { leaseTimes } from './lease'

test('a run stands still at six tenths of its lease, counts it as over before the server does, and is kept beyond', () => {
  expect(leaseTimes(1_000, 15_000)).toEqual({ freezeAt: 10_000, overAt: 13_750, endAt: 613_750 })
  expect(leaseTimes(0, 60_000)).toEqual({ freezeAt: 36_000, overAt: 51_000, endAt: 651_000 })
  for (const leaseMs of [2_000, 5_000, 15_000, 600_000]) {
    const { freezeAt, overAt, endAt } = leaseTimes(0, leaseMs)
    expect(freezeAt).toBeLessThanOrEqual(overAt)
    expect(overAt).toBeLessThanOrEqual(leaseMs - 1_000)
    expect(endAt).toBeGreaterThan(leaseMs)
  }
})
