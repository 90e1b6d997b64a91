import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { joinSpans, type Span, withFewest } from './day-spans'

const span = fc
  .tuple(fc.integer({ min: 0, max: 500 }), fc.integer({ min: 0, max: 40 }))
  .map(([from, length]): Span => ({ from, to: from + length }))

test('spans are joined in order, with gaps between them, and cover what they were made of', () => {
  fc.assert(
    fc.property(fc.array(span, { maxLength: 30 }), fc.integer({ min: 1, max: 20 }), (spans, gap) => {
      const joined = joinSpans(spans, gap)
      for (const [at, one] of joined.entries())
        if (at > 0) expect(one.from - (joined[at - 1]?.to ?? 0)).toBeGreaterThanOrEqual(gap)
      for (const { from, to } of spans) expect(joined.some((one) => one.from <= from && to <= one.to)).toBe(true)
      for (const one of joined) expect(spans.some(({ from }) => from === one.from)).toBe(true)
    }),
  )
})

test('too many spans become fewer by their shortest gaps, and none is lost', () => {
  const spans = [
    { from: 0, to: 1 },
    { from: 3, to: 4 },
    { from: 20, to: 21 },
    { from: 22, to: 30 },
  ]
  expect(withFewest(spans, 4)).toEqual(spans)
  expect(withFewest(spans, 2)).toEqual([
    { from: 0, to: 4 },
    { from: 20, to: 30 },
  ])
  expect(withFewest(spans, 1)).toEqual([{ from: 0, to: 30 }])
})
