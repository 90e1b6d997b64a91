import { expect, test } from 'bun:test'
import { fold, reflow } from './fold'
import { width } from './text'

test('the rest of a value goes below the value, and of a point below its words', () => {
  expect(fold('collector  follows 49 files in 11 folders\n', 30)).toBe(
    'collector  follows 49 files in\n           11 folders\n',
  )
  expect(fold('  - one two three', 12)).toBe('  - one two\n    three')
})

test('an ordinary line goes on a little further in, a line that fits keeps its blanks', () => {
  expect(fold('lode: recorded 49 files of this machine', 24)).toBe('lode: recorded 49 files\n  of this machine')
  expect(fold('a  b   c', 24)).toBe('a  b   c')
  expect(fold('aaaaaaaa  bb  cc', 15)).toBe('aaaaaaaa bb cc')
})

test('no line is wider than the terminal unless a word is, and no word is lost', () => {
  const words = 'It resumes where 会話 it stopped, at https://example.org/a/very/long/address/of/a/page/of/this/site '
    .repeat(3)
    .trim()
  for (const columns of [20, 33, 80]) {
    const folded = fold(`name  ${words}`, columns)
    expect(folded.split(/\s+/)).toEqual(`name  ${words}`.split(/\s+/))
    for (const line of folded.split('\n'))
      expect(width(line) <= columns || line.trim().split(' ').length === 1).toBe(true)
  }
})

test('without a terminal nothing is broken', () => {
  expect(fold('x '.repeat(200), 0)).toBe('x '.repeat(200))
})

test('help keeps its points and paragraphs, however wide it was written', () => {
  const text = 'It writes a file\nand closes it.\n  - one\n    more\n  - two\n\nThe end.'
  expect(reflow(text, 80)).toBe('It writes a file and closes it.\n  - one more\n  - two\n\nThe end.')
  expect(reflow(text, 16)).toBe('It writes a file\nand closes it.\n  - one more\n  - two\n\nThe end.')
})
