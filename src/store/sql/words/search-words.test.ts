import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { makeSnippet, parseSearch, wordMatcher } from './search-words'

const snippet = (text: string, query: string) =>
  makeSnippet(text, wordMatcher(parseSearch(query)))
    .snippet.replaceAll('\u0002', '*')
    .replaceAll('\u0003', '*')

test('a snippet is whole words, and says where there is more', () => {
  expect(snippet('The harbour is full.', 'harbour')).toBe('The *harbour* is full.')
  const long = `${'one two three '.repeat(20)}the harbour ${'four five six '.repeat(20)}end`
  const told = snippet(long, 'harbour')
  expect(told).toMatch(/^…(one|two|three) .*\*harbour\* .* (four|five|six)…$/)
  expect(snippet(`harbour ${'x'.repeat(500)}`, 'harbour')).toMatch(/^\*harbour\* x+…$/)
  expect(snippet(`${'x'.repeat(500)} harbour`, 'harbour')).toMatch(/^…x+ \*harbour\*$/)
})

test('a snippet holds its first match and at most 200 characters of the text, whatever that is', () => {
  const words = fc.array(fc.oneof(fc.constant('needle'), fc.string({ unit: 'binary' })), { maxLength: 80 })
  fc.assert(
    fc.property(words, fc.constantFrom(' ', '', '\n'), (parts, glue) => {
      const text = [...parts, ' needle '].join(glue)
      const made = makeSnippet(text, wordMatcher(parseSearch('needle'))).snippet
      const plain = made.replaceAll('\u0002', '').replaceAll('\u0003', '')
      expect(plain.length).toBeLessThanOrEqual(200)
      expect(made.toLowerCase()).toContain('\u0002needle\u0003')
      expect(made.isWellFormed()).toBe(true)
    }),
  )
})
