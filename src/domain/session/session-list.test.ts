import { expect, test } from 'bun:test'
import { COUNTED_SPANS, parseSpan } from './session-list'

test('a span has at least one bound, and holds something', () => {
  expect(parseSpan('1..5')).toEqual({ from: 1, below: 5 })
  expect(parseSpan('..0.1')).toEqual({ from: null, below: 0.1 })
  expect(parseSpan('10..')).toEqual({ from: 10, below: null })
  for (const no of ['', '..', '5', '5..1', '1..1', 'a..b', '-1..2', '1...5', '1e9..', ' 1..2'])
    expect(parseSpan(no)).toBeNull()
})

test('the spans that are counted leave no gap and do not overlap', () => {
  for (const spans of Object.values(COUNTED_SPANS)) {
    const parsed = spans.map(parseSpan)
    expect(parsed.at(0)?.from).toBeNull()
    expect(parsed.at(-1)?.below).toBeNull()
    for (const [at, span] of parsed.slice(1).entries()) expect(span?.from).toBe(parsed[at]?.below ?? Number.NaN)
  }
})
