import { expect, test } from 'bun:test'
import { age, bytes, count, dollars, duration, localTime, plural } from './measures'

const NOW = Date.UTC(2026, 0, 2)
const before = (seconds: number) => new Date(NOW - seconds * 1_000).toISOString()

test('an age is in the largest unit that fits', () => {
  const ages = [0.5, 1, 59, 60, 3_599, 3_600, 86_399, 86_400, 27 * 86_400, 28 * 86_400, 364 * 86_400, 800 * 86_400]
  expect(ages.map((seconds) => age(before(seconds), NOW))).toEqual([
    'now',
    '1s',
    '59s',
    '1m',
    '59m',
    '1h',
    '23h',
    '1d',
    '27d',
    '4w',
    '1y',
    '2y',
  ])
  expect(age(before(-100), NOW)).toBe('now')
  expect([age(null, NOW), age('nonsense', NOW)]).toEqual(['-', '-'])
  expect(duration(0)).toBe('0s')
})

test('counts and sizes take few characters and never show 1000 of a unit', () => {
  expect([0, 999, 1_000, 1_249, 9_949, 9_950, 99_499, 999_499, 999_500, 1e6, 2.5e9].map(count)).toEqual([
    '0',
    '999',
    '1.0k',
    '1.2k',
    '9.9k',
    '10k',
    '99k',
    '999k',
    '1.0M',
    '1.0M',
    '2.5G',
  ])
  expect([0, 999, 1_500, 34_000_000].map(bytes)).toEqual(['0 B', '999 B', '1.5 kB', '34 MB'])
})

test('money says when it is not known, and when it is an estimate', () => {
  const shown = (isEstimate: boolean) => [null, 0, 0.0004, 0.01, 12.345].map((usd) => dollars(usd, isEstimate))
  expect(shown(false)).toEqual(['-', '$0.00', '$0.0004', '$0.01', '$12.35'])
  expect(shown(true)).toEqual(['-', '~$0.00', '~$0.0004', '~$0.01', '~$12.35'])
})

test('a number goes with its noun', () => {
  expect([plural(1, 'event'), plural(0, 'event'), plural(12_000, 'event')]).toEqual([
    '1 event',
    '0 events',
    '12,000 events',
  ])
})

test('a time that is none stays as it is', () => {
  expect(localTime('soon')).toBe('soon')
  expect(localTime(null)).toBeNull()
  expect(localTime('2026-01-02T00:00:00Z')).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
})
