import { expect, test } from 'bun:test'
import { idleSpans, nextTime } from './replay-clock'

test('a replay goes at its speed, jumps over long pauses and stops at the end', () => {
  const idle = idleSpans([
    [0, 10_000],
    [5_000, 12_000],
    [14_000, 20_000],
    [80_000, 90_000],
  ])
  expect(idle).toEqual([{ from: 20_000, to: 80_000 }])
  expect(nextTime(0, 250, 10, idle, 90_000)).toBe(2_500)
  expect(nextTime(19_000, 250, 10, idle, 90_000)).toBe(79_500)
  expect(nextTime(79_500, 250, 10, idle, 90_000)).toBe(82_000)
  expect(nextTime(89_000, 250, 60, idle, 90_000)).toBe(90_000)
  expect(nextTime(40_000, 250, 1, idle, 90_000)).toBe(79_500)
})
