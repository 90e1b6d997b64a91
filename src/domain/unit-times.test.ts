import { expect, test } from 'bun:test'
import { UnitTimes } from './unit-times'

test('a unit counts at the first bound that it kept, by weight and error', () => {
  const times = new UnitTimes('sqlite')
  for (const ms of [0, 1, 1.1, 50, 10_000, 10_000.1]) times.note('interactive', null, ms)
  times.note('bulk', 'unavailable', 3)
  const [kept, bulk, refused] = times.series()
  expect(kept).toEqual({ weight: 'interactive', error: null, counts: [2, 1, 0, 1, 0, 0, 0, 0, 1, 1], sum: 20.0522 })
  expect([bulk?.weight, bulk?.error, bulk?.sum]).toEqual(['bulk', null, 0])
  expect(refused).toEqual({ weight: 'bulk', error: 'unavailable', counts: [0, 1, 0, 0, 0, 0, 0, 0, 0, 0], sum: 0.003 })
})

test('sums go beyond what one word holds, and threads that share the memory add to the same', () => {
  const times = new UnitTimes('sqlite')
  const other = new UnitTimes('sqlite', times.memory)
  for (let i = 0; i < 3; i++) {
    times.note('bulk', null, 4_000_000)
    other.note('bulk', null, 4_000_000)
  }
  const bulk = times.series().find(({ weight }) => weight === 'bulk')
  expect(bulk?.sum).toBe(24_000)
  expect(bulk?.counts.at(-1)).toBe(6)
})

test('a clock that goes back takes nothing away', () => {
  const times = new UnitTimes('postgresql')
  times.note('interactive', null, -5)
  expect(times.series()[0]?.sum).toBe(0)
})
