import { expect, test } from 'bun:test'
import { type Offer, offersFor } from './pick-field'

const offer = (word: string, isOn = false): Offer => ({ word, text: word, isOn })
const shown = (typed: string, words: readonly string[]) =>
  offersFor(
    typed,
    words.map((word) => offer(word)),
    (word) => `Add ${word}`,
  ).map(({ text }) => text)

test('what is typed narrows the offers, those that begin with it first', () => {
  expect(shown('', ['tar', 'Hull', 'hawser'])).toEqual(['tar', 'Hull', 'hawser'])
  expect(shown(' H', ['wharf', 'Hull'])).toEqual(['Hull', 'wharf', 'Add H'])
})

test('a word that is not offered can be picked, and one that is offered only once', () => {
  expect(shown('rope', ['ropes'])).toEqual(['ropes', 'Add rope'])
  expect(shown('rope', ['ropes', 'rope'])).toEqual(['ropes', 'rope'])
  expect(shown('  ', [])).toEqual([])
})
