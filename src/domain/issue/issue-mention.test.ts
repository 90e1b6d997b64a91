import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { branchWords, issueWord, issueWords } from './issue-mention'

describe('words of a prompt', () => {
  test.each([
    ['work on ld-a1b2', ['ld-a1b2']],
    ['LD-A1B2, please.', ['ld-a1b2']],
    ['(my-proj-3k9q.2.1): fix it', ['my-proj-3k9q.2.1']],
    ['`ld-a1b2`\'s test, then "bd-12"', ['ld-a1b2', 'bd-12']],
    ['ld-a1b2: the parser', ['ld-a1b2']],
    ['ld-abcd is well-known, ld-a1b2 is not', ['ld-a1b2', 'ld-abcd', 'well-known']],
    ['the end of ld-a1b2.', ['ld-a1b2']],
    ['ld-a1b2 and ld-a1b2', ['ld-a1b2']],
    ['#ld-a1b2', ['ld-a1b2']],
  ])('%p names %p', (text, words) => {
    expect(issueWords(text)).toEqual(words)
  })

  test.each([
    'see https://example.org/issues/ld-a1b2',
    'read src/ld-a1b2/notes.md',
    'open ld-a1b2.md',
    'mail me@ld-a1b2',
    '~/ld-a1b2',
    'nothing here',
    '- a list\n- of things --force -x',
    `ld-${'a'.repeat(100)}`,
  ])('%p names none', (text) => {
    expect(issueWords(text)).toEqual([])
  })

  test('at most ten, those with a digit in their hash first', () => {
    const words = issueWords(`${Array.from({ length: 30 }, (_, i) => `some-word${'x'.repeat(i)}`).join(' ')} ld-a1b2`)
    expect(words).toHaveLength(10)
    expect(words[0]).toBe('ld-a1b2')
  })
})

describe('words of a branch', () => {
  test.each([
    ['feature/ld-a1b2-fix', 'ld-a1b2'],
    ['ld-a1b2', 'ld-a1b2'],
    ['ld-a1b2.3/wip', 'ld-a1b2.3'],
    ['fix-ld-a1b2', 'ld-a1b2'],
    ['my-proj-a1b2_try', 'my-proj-a1b2'],
    ['user/LD-A1B2-Fix-The-Parser', 'ld-a1b2'],
    ['ld-abcd-fix', 'ld-abcd'],
  ])('%p may be of %p', (branch, word) => {
    expect(branchWords(branch)).toContain(word)
  })

  test.each(['main', 'master', '', 'release/v2', '///'])('%p is of none', (branch) => {
    expect(branchWords(branch)).toEqual([])
  })
})

test('an environment names one id or none', () => {
  expect(issueWord(' LD-a1b2 ')).toBe('ld-a1b2')
  for (const bad of ['', '../x', 'a b', 'x'.repeat(65), 'ld-1\n2']) expect(issueWord(bad)).toBeNull()
})

test('any text gives few, short words in lower case, and fast', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc
      .array(fc.constantFrom('a-', '-', 'ld-a1b2', '.', '/', ':', ' ', '_1'), { maxLength: 400 })
      .map((p) => p.join('')),
  )
  fc.assert(
    fc.property(text, (value) => {
      for (const words of [issueWords(value), branchWords(value)]) {
        expect(words.length).toBeLessThanOrEqual(10)
        for (const word of words) {
          expect(word.length).toBeLessThanOrEqual(64)
          expect(word).toBe(word.toLowerCase())
          expect(issueWord(word)).toBe(word)
        }
      }
    }),
    { numRuns: 500 },
  )
  for (const hostile of [
    'a-'.repeat(500_000),
    'ld-a1b2 '.repeat(100_000),
    `${'-'.repeat(1_000_000)}x`,
    '1.'.repeat(500_000),
  ]) {
    issueWords(hostile)
    branchWords(hostile)
  }
})
