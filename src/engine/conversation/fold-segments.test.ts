import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { SEGMENT_KINDS } from '../../domain/conversation/conversation'
import { foldSegments, type Span } from './fold-segments'

const span = fc
  .record({
    from: fc.integer({ min: -50, max: 1_050 }),
    length: fc.integer({ min: -5, max: 400 }),
    kind: fc.constantFrom(...SEGMENT_KINDS),
  })
  .map(({ from, length, kind }): Span => ({ from, to: from + length, kind }))
/** Strongest first. */
const STRENGTH = ['waiting', 'tool', 'working'] as const

test('a lane has no gap and no overlap, and at each moment the strongest of what was told', () => {
  fc.assert(
    fc.property(fc.array(span, { maxLength: 30 }), (spans) => {
      const { segments, spentMs } = foldSegments(spans, 0, 1_000)
      let at = 0
      for (const [i, { from, to, kind }] of segments.entries()) {
        expect(Date.parse(from)).toBe(at)
        at = Date.parse(to)
        expect(segments[i + 1]?.kind).not.toBe(kind)
      }
      expect(at).toBe(1_000)
      const expected = { working: 0, waiting: 0, idle: 0, tool: 0 }
      for (let ms = 0; ms < 1_000; ms++) {
        const told = spans.filter((one) => one.from <= ms && ms < one.to).map((one) => one.kind)
        expected[STRENGTH.find((kind) => told.includes(kind)) ?? 'idle']++
      }
      expect(spentMs).toEqual(expected)
    }),
  )
})

test('however many changes there are, a lane has at most 500 segments and its sums stay exact', () => {
  const spans = Array.from(
    { length: 40_000 },
    (_, i): Span => ({ from: i * 10, to: i * 10 + 4, kind: i % 3 ? 'tool' : 'working' }),
  )
  const { segments, spentMs } = foldSegments(spans, 0, 400_000)
  expect(segments.length).toBeLessThanOrEqual(500)
  expect(segments[0]?.from).toBe(new Date(0).toISOString())
  expect(segments.at(-1)?.to).toBe(new Date(400_000).toISOString())
  expect(spentMs).toEqual({ working: 13_334 * 4, waiting: 0, idle: 240_000, tool: 26_666 * 4 })
})

test('nothing told is idle, and a lane without length has no segment', () => {
  expect(foldSegments([], 0, 5).segments.map(({ kind }) => kind)).toEqual(['idle'])
  expect(foldSegments([{ from: 3, to: 9, kind: 'tool' }], 3, 3).segments).toEqual([])
})
