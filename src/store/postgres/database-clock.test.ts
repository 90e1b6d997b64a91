import { describe, expect, test } from 'bun:test'
import { DatabaseClock } from './database-clock'

/** A clock that is `offset` before ours, as it is read at `at` by a question that took `took`. */
const reading = (at: number, offset: number, took = 2) => ({
  now: Math.floor(at + took / 2 + offset),
  askedAt: at,
  answeredAt: at + took,
})

describe("the database's clock", () => {
  test('is not known before it was read', () => {
    expect(new DatabaseClock().estimate(1_000)).toBeUndefined()
  })

  test('is never ahead of the real one, and behind it by no more than the question took', () => {
    const clock = new DatabaseClock()
    clock.read(reading(1_000, 500_000, 40))
    for (const at of [1_040, 1_041.5, 90_000]) {
      const estimate = clock.estimate(at) ?? 0
      expect(estimate).toBeLessThanOrEqual(at + 500_000)
      expect(estimate).toBeGreaterThan(at + 500_000 - 42)
    }
  })

  test('never goes back, also where a later reading says less', () => {
    const clock = new DatabaseClock()
    clock.read(reading(1_000, 500_000, 0))
    const before = clock.estimate(2_000) ?? 0
    clock.read(reading(2_000, 499_990, 0))
    expect(clock.estimate(2_000)).toBe(before)
  })

  test.each([
    ['forward', 60_000],
    ['back', -60_000],
  ])('that was set %s does not confirm the estimate, and is learnt anew', (_, moved) => {
    const clock = new DatabaseClock()
    clock.read(reading(1_000, 500_000))
    const estimate = clock.estimate(2_000) ?? 0
    expect(clock.confirms(estimate, reading(2_000, 500_000))).toBe(true)
    expect(clock.confirms(estimate, reading(2_000, 500_000 + moved))).toBe(false)
    expect(Math.abs((clock.estimate(3_000) ?? 0) - (503_000 + moved))).toBeLessThan(5)
  })

  test('confirms an estimate whose reading came late: the database was busy', () => {
    const clock = new DatabaseClock()
    clock.read(reading(1_000, 500_000))
    const estimate = clock.estimate(2_000) ?? 0
    expect(clock.confirms(estimate, { now: 2_500 + 500_000, askedAt: 2_000, answeredAt: 2_600 })).toBe(true)
  })

  test('follows one that runs faster than ours', () => {
    const clock = new DatabaseClock()
    for (let at = 0; at < 100_000; at += 1_000) clock.read(reading(at, 500_000 + at / 2_000))
    expect(Math.abs((clock.estimate(100_000) ?? 0) - 600_050)).toBeLessThan(10)
  })
})
