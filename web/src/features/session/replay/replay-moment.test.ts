import { expect, test } from 'bun:test'
import { momentOf } from './replay-moment'

test('a replay says what the agent did at its moment, and since when', () => {
  const at = (second: number) => new Date(second * 1_000).toISOString()
  const segments = [
    { kind: 'working' as const, from: at(10), to: at(20) },
    { kind: 'waiting' as const, from: at(20), to: at(50) },
  ]
  expect(momentOf(segments, 15_000)).toEqual({ kind: 'working', since: 10_000 })
  expect(momentOf(segments, 20_000)).toEqual({ kind: 'waiting', since: 20_000 })
  expect(momentOf(segments, 50_000)).toEqual({ kind: 'waiting', since: 20_000 })
  for (const outside of [9_999, 50_001]) expect(momentOf(segments, outside)).toBeNull()
})
