import { expect, test } from 'bun:test'
import { exactTime, lengthOf, relativeTime, withLocalTimes } from './time'

const NOW = Date.parse('2026-01-31T12:00:00Z')

test('times are told by the unit that a person would choose', () => {
  const told = [
    '2026-01-31T11:59:59Z',
    '2026-01-31T11:59:18Z',
    '2026-01-31T11:05:00Z',
    '2026-01-30T10:00:00Z',
    '2025-12-31T12:00:00Z',
  ]
  expect(told.map((at) => relativeTime(at, NOW))).toEqual([
    'just now',
    '42 s ago',
    '55 min ago',
    '26 h ago',
    '31 d ago',
  ])
  expect(relativeTime('2026-01-31T12:03:10Z', NOW)).toBe('in 3 min')
  expect(relativeTime('never', NOW)).toBe('at an unknown time')
})

test('a length is never below zero', () => {
  expect([-5, 0, 999, 60_000, 3_600_000].map(lengthOf)).toEqual(['0 s', '0 s', '0 s', '1 min', '1 h'])
})

test('a sentence tells its times by the clock of who reads it, and is else as it was', () => {
  const at = '2026-11-22T14:01:34.489Z'
  expect(withLocalTimes(`waits until ${at}, not ${at}`)).toBe(`waits until ${exactTime(at)}, not ${exactTime(at)}`)
  for (const other of ['', 'in 2026-11-22', '2026-99-99T99:99:99Z', `x${at}`]) expect(withLocalTimes(other)).toBe(other)
})
