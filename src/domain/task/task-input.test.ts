import { expect, test } from 'bun:test'
import { parseCostUsd, parseDurationMs } from './task-input'

test('a duration is a number with its unit, or several', () => {
  const durations = ['500ms', '90s', '30m', '30min', '2h', '1.5h', '1h30m', '1d'].map(parseDurationMs)
  expect(durations).toEqual([500, 90_000, 1_800_000, 1_800_000, 7_200_000, 5_400_000, 5_400_000, 86_400_000])
})

test('a duration without a unit, of other words or of no time is refused', () => {
  for (const text of [
    '30',
    '',
    'm',
    '-5m',
    '5 m',
    '0s',
    '0.0001s',
    '1e3s',
    '9999999999d',
    '5mm',
    '1..5h',
    '\u001b[31m',
  ])
    expect(parseDurationMs(text)).toBeNull()
})

test('a cost is US dollars, with or without their sign', () => {
  expect(['2', '2.50', '$0.10', '0.000001'].map(parseCostUsd)).toEqual([2, 2.5, 0.1, 0.000001])
  for (const text of ['', '0', '-1', 'much', '2,50', '1e3', '2.5.0', '0.0000001', '$'])
    expect(parseCostUsd(text)).toBeNull()
})
