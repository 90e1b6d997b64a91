import { expect, test } from 'bun:test'
import { shellLine } from './shell-words'

test('a shell reads back exactly the words that were written, and a terminal obeys none of them', () => {
  const words = [
    'plain',
    '/a/b c',
    "it's",
    '$HOME `id` "x" \\',
    '',
    'two\nlines',
    '\u001b[31mred',
    'ü\u202e',
    '-n',
    '*',
  ]
  const line = shellLine(words)
  expect(line).toMatch(/^[\x20-\x7e\u00fc]*$/)
  const { stdout } = Bun.spawnSync(['bash', '-c', `printf '%s\\0' ${line}`])
  expect(stdout.toString().split('\0').slice(0, -1)).toEqual(words)
})
