import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { visibleText } from './visible-text'

test('what would not be seen, or would turn the text around, is shown', () => {
  expect(visibleText('a\u0000b\u001b[31mred\u007f')).toBe('a␀b␛[31mred␡')
  expect(visibleText('evil\u202egnp.exe')).toBe('evil⟨U+202E⟩gnp.exe')
  expect(visibleText('zero\u200bwidth\ufeff \u2066x\u2069')).toBe('zero⟨U+200B⟩width⟨U+FEFF⟩ ⟨U+2066⟩x⟨U+2069⟩')
  expect(visibleText('\u{e0041}tag \ud800 half')).toBe('⟨U+E0041⟩tag ⟨U+D800⟩ half')
})

test('line breaks, tabs, markup, other scripts and joined emoji stay as they are', () => {
  const text = 'a\tb\r\nc <script>alert(1)</script> שלום 日本 👩‍👩‍👧 é'
  expect(visibleText(text)).toBe(text)
})

test('it is done once: what it gives needs nothing more', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      const shown = visibleText(text)
      expect(visibleText(shown)).toBe(shown)
    }),
  )
})
