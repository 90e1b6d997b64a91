import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { RowHeights } from './session-heights'

test('rows stand where the heights before them add up to, whatever was changed in whatever order', () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('resize' as const), to: fc.nat(300) }),
    fc.record({
      kind: fc.constantFrom('set' as const, 'expect' as const, 'forget' as const),
      row: fc.nat(300),
      height: fc.nat(500),
    }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const heights = new RowHeights(40)
      let rows: { height: number; isMeasured: boolean }[] = []
      for (const one of steps) {
        if (one.kind === 'resize') {
          heights.resize(one.to)
          const more = Array.from({ length: Math.max(0, one.to - rows.length) }, () => ({
            height: 40,
            isMeasured: false,
          }))
          rows = [...rows.slice(0, one.to), ...more]
          continue
        }
        const row = rows[one.row]
        heights[one.kind](one.row, one.height)
        if (row === undefined || (one.kind === 'expect' && row.isMeasured)) continue
        row.height = one.height
        row.isMeasured = one.kind === 'set' ? true : one.kind === 'forget' ? false : row.isMeasured
      }
      let offset = 0
      for (const [number, { height }] of rows.entries()) {
        expect(heights.offsetOf(number)).toBe(offset)
        expect(heights.heightOf(number)).toBe(height)
        // A place within a row is that row's; rows without a height hold no place.
        if (height > 0) expect(heights.rowAt(offset + height / 2)).toBe(number)
        offset += height
      }
      expect(heights.total).toBe(offset)
      expect(heights.rowAt(offset + 1)).toBe(Math.max(0, rows.length - 1))
      expect(heights.rowAt(-5)).toBe(0)
    }),
  )
})

test('a million rows are asked and changed at once', () => {
  const heights = new RowHeights(30)
  heights.resize(1_000_000)
  expect(heights.total).toBe(30_000_000)
  expect(heights.set(500_000, 130)).toBe(true)
  expect(heights.set(500_000, 130)).toBe(false)
  expect(heights.offsetOf(500_001)).toBe(15_000_130)
  expect(heights.rowAt(15_000_129)).toBe(500_000)
  expect(heights.rowAt(15_000_131)).toBe(500_001)
})
