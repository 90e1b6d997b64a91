import { expect, test } from 'bun:test'
import { isoTime } from './read-context'

test('times are written as a date writes them, whatever was written before', () => {
  const day = 86_400_000
  const edges = [
    0,
    1,
    -1,
    999,
    1_000,
    59_999,
    day - 1,
    day,
    day + 1,
    -day,
    -day - 1,
    253_402_300_799_999,
    253_402_300_800_000,
  ]
  const far = [8.64e15, 8.64e15 - 1, -8.64e15, -8.64e15 + 1, -62_167_219_200_001, -62_167_219_200_000]
  const many = Array.from({ length: 5_000 }, (_, i) => 1_700_000_000_000 + i * 37 * 60_013)
  for (const at of [...edges, ...far, ...many, 1.5, -1.5]) expect(isoTime(at)).toBe(new Date(at).toISOString())
  expect(isoTime(null)).toBeNull()
  expect(isoTime(9e15)).toBe(isoTime(8.64e15))
  expect(isoTime(Number.NEGATIVE_INFINITY)).toBe(isoTime(-8.64e15))
})
