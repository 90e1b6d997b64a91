import { expect, test } from 'bun:test'
import { drawnMarks, kindCounts, nearestMark, nextMark } from './map-marks'

const marks = [
  { kind: 'prompt', number: 0, count: 1 },
  { kind: 'error', number: 4, count: 3 },
  { kind: 'error', number: 9, count: 1 },
] as const
const map = { marks: [...marks] }

test('a chip counts its kind, and goes from mark to mark and round the end', () => {
  expect(kindCounts(map)).toEqual([
    ['prompt', 1],
    ['error', 4],
  ])
  expect([nextMark(map, 'error', -1, 1), nextMark(map, 'error', 4, 1), nextMark(map, 'error', 9, 1)]).toEqual([4, 9, 4])
  expect([nextMark(map, 'error', 9, -1), nextMark(map, 'error', 4, -1)]).toEqual([4, 9])
  expect(nextMark(map, 'edit', 0, 1)).toBeNull()
  expect([nearestMark(map, 1), nearestMark(map, 7), nearestMark({ marks: [] }, 1)]).toEqual([0, 9, null])
})

test('few marks are drawn whole; a kind that is everywhere is a paler ground, as strong as it is dense', () => {
  expect(drawnMarks(map).map(({ kind, strength }) => [kind, strength])).toEqual([
    ['error', 1],
    ['error', 1],
    ['prompt', 1],
  ])
  const prompts = Array.from({ length: 400 }, (_, number) => ({
    kind: 'prompt' as const,
    number,
    count: 1 + (number % 4),
  }))
  const drawn = drawnMarks({ marks: [...marks, ...prompts] })
  expect(drawn.slice(-2).map(({ kind, strength }) => [kind, strength])).toEqual([
    ['error', 1],
    ['error', 1],
  ])
  const [one = 0, two = 0, , four = 0] = drawn.slice(1).map(({ strength }) => strength)
  expect(one).toBeGreaterThan(0)
  expect(one).toBeLessThan(two)
  expect(two).toBeLessThan(four)
  expect(four).toBeLessThan(0.3)
})
