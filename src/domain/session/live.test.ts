import { expect, test } from 'bun:test'
import { foldLive, type LivePiece, wholeWords } from './live'

const words = (text: string): LivePiece => ({ kind: 'words', text })
const output = (call: string, text: string, isWhole = false): LivePiece => ({ kind: 'output', call, text, isWhole })

test('words are those of the message that is being written', () => {
  expect(foldLive([words('old'), { kind: 'said' }, words('Two '), words('green lights')], false)).toEqual({
    words: 'Two green lights',
    isCut: false,
    outputs: [],
  })
  expect(foldLive([words('a line has this'), { kind: 'said' }], true).words).toBe('')
})

test('words whose beginning is not among the pieces say so', () => {
  expect(foldLive([words('… of a sentence')], false).isCut).toBe(true)
  expect(foldLive([words('a sentence')], true).isCut).toBe(false)
})

test('a word is shown once it is whole, since half of a secret is not known as one', () => {
  expect(wholeWords('the key is ghp_abc', 100, false)).toEqual({ text: 'the key is ', isCut: false })
  expect(wholeWords('ghp_abc', 100, false).text).toBe('')
  expect(wholeWords('ken of before, then words', 100, true)).toEqual({ text: 'of before, then ', isCut: true })
  expect(wholeWords('aaaa bbbb cccc ', 7, false)).toEqual({ text: 'cccc ', isCut: true })
  const key = '-----BEGIN RSA PRIVATE KEY-----\nabc\n'
  expect(wholeWords(`look: ${key}`, 100, false).text).toBe('look: ')
  expect(wholeWords(`${key}-----END RSA PRIVATE KEY-----\n`, 100, false).text).toContain('abc')
})

test('a call shows what it gave out until it has its answer, in pieces or as a whole', () => {
  const pieces = [output('a', '1 '), output('b', 'first'), output('a', '2'), output('b', 'first, second', true)]
  expect(foldLive(pieces, true).outputs).toEqual([
    { call: 'a', text: '1 2' },
    { call: 'b', text: 'first, second' },
  ])
  expect(foldLive([...pieces, { kind: 'done', call: 'a' }], true).outputs.map(({ call }) => call)).toEqual(['b'])
})
