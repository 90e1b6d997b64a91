import { expect, test } from 'bun:test'
import { formsPattern } from '../session/list/found-marks'
import { markedParts } from './marked-parts'

const marked = (text: string, forms: string[]) =>
  markedParts(text, formsPattern(forms))
    .map(({ text: part, isMatch }) => (isMatch ? `[${part}]` : part))
    .join('')

test('words are marked whole, in any case of their letters, and nothing of the text is lost', () => {
  expect(marked('Decide, decided: undecided', ['decide', 'decided'])).toBe('[Decide], [decided]: undecided')
  expect(marked('a.b axb', ['a.b'])).toBe('[a.b] axb')
  expect(marked('Ünder ünder', ['ünder'])).toBe('[Ünder] [ünder]')
})

test('without words, and without text, nothing is marked', () => {
  expect(marked('all of it', [])).toBe('all of it')
  expect(markedParts('', formsPattern(['x']))).toEqual([])
})
