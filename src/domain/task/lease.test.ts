import { expect, test } from 'bun:test'
import { leaseTimes } from './lease'

test('a run stands still at six tenths of its lease, and is ended well before the lease is', () => {
  expect(leaseTimes(1_000, 15_000)).toEqual({ freezeAt: 10_000, endAt: 13_750 })
  expect(leaseTimes(0, 60_000)).toEqual({ freezeAt: 36_000, endAt: 51_000 })
  for (const leaseMs of [2_000, 5_000, 15_000, 600_000]) {
    const { freezeAt, endAt } = leaseTimes(0, leaseMs)
    expect(freezeAt).toBeLessThanOrEqual(endAt)
    expect(endAt).toBeLessThanOrEqual(leaseMs - 1_000)
  }
})
