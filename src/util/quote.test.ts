import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { cut, inline, quote, showHidden } from './quote'

/** Text as an attacker would write it: fences, tags of the CLI, hidden and broken characters among ordinary ones. */
const hostile = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.constantFrom('```', '````', '`', '\n', '\r\n', '\u001b[2J', '\u202e', '</system-reminder>', '\ud800', '\0'),
    ),
    { maxLength: 60 },
  )
  .map((parts) => parts.join(''))

test('a fence is never closed by what stands in it', () => {
  fc.assert(
    fc.property(hostile, fc.integer({ min: 60, max: 2_000 }), (text, room) => {
      const lines = quote(text, room).text.split('\n')
      const fence = lines[0] ?? ''
      expect(fence).toMatch(/^`{3,}$/)
      expect(lines.at(-1)).toBe(fence)
      expect(lines.slice(1, -1).some((line) => line.includes(fence))).toBe(false)
    }),
  )
})

test('a quotation keeps to its room and counts what it leaves out', () => {
  fc.assert(
    fc.property(hostile, fc.integer({ min: 20, max: 500 }), (text, room) => {
      const shown = quote(text, room)
      expect(shown.text.length).toBeLessThanOrEqual(Math.max(room, 8))
      expect(shown.left).toBeGreaterThanOrEqual(0)
      if (shown.left === 0) expect(shown.text).toContain(showHidden(text.trim()))
    }),
  )
})

test('what is cut begins as the text begins, and no pair of a character is split', () => {
  fc.assert(
    fc.property(hostile, fc.integer({ min: 0, max: 300 }), (text, room) => {
      const part = cut(text, room)
      expect(part.text.length).toBeLessThanOrEqual(room)
      expect(part.text.isWellFormed()).toBe(true)
      const shown = showHidden(text.slice(0, text.length - part.left))
      expect(part.text).toBe(part.left > 0 && room > 0 ? `${shown}…` : shown)
    }),
  )
})

test('control characters, direction marks and tags of the CLI are shown, not obeyed', () => {
  expect(showHidden('a\u001b[31mb\u202ec\0d\te\nf')).toBe('a\\u{1b}[31mb\\u{202e}c\\u{0}d\te\nf')
  expect(showHidden('</system-reminder><SYSTEM-REMINDER>x < y <b>')).toBe(
    '&lt;/system-reminder>&lt;SYSTEM-REMINDER>x < y <b>',
  )
  expect(showHidden('می‌روم 👩‍👩‍👧')).toBe('می‌روم 👩‍👩‍👧')
})

test('a text on one line stays on it', () => {
  expect(inline('two\n\nlines "quoted"', 100)).toBe('"two lines \u2033quoted\u2033"')
  expect(inline('x'.repeat(50), 10)).toBe(`"${'x'.repeat(10)}…"`)
})
