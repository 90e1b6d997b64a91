import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { similarity } from './similarity'

/** From which on to-dos are taken for one; see `todo-match.ts`. */
const SAME = 0.65

test.each([
  ['Write tests', 'Write unit tests'],
  ['Write tests', 'write tests.'],
  ['Write test', 'Write tests'],
  ['Fix bug', 'Fix bug in parser'],
  ['Implement the parser', 'Implementing the parser'],
  ['Add docs for the API', 'Docs for the API'],
  ['修复登录', '修复登录错误'],
  ['Review PR 12', 'Review PR 12 again'],
  ['Read config.ts and note the keys', 'Read config.ts, note keys'],
])('%p and %p are one thing', (a, b) => {
  expect(similarity(a, b)).toBeGreaterThanOrEqual(SAME)
})

test.each([
  ['Fix login', 'Fix logout'],
  ['Fix login bug', 'Fix logout bug'],
  ['Implement feature A', 'Implement feature B'],
  ['Phase 1: write the tests', 'Phase 2: write the tests'],
  ['Fix issue #12', 'Fix issue #13'],
  ['Write tests', 'Deploy'],
  ['Test', 'Test the whole of the new login page by hand'],
  ['', 'Write tests'],
  ['!!!', '???'],
  ['🚀', '🐛'],
])('%p and %p are two', (a, b) => {
  expect(similarity(a, b)).toBeLessThan(SAME)
})

test('it is symmetric, between 0 and 1, and 1 for a text and itself', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(fc.constantFrom('fix', 'fixes', 'login', 'a', '1', 'été', '…'), { maxLength: 12 }).map((w) => w.join(' ')),
  )
  fc.assert(
    fc.property(text, text, (a, b) => {
      const score = similarity(a, b)
      expect(score).toBe(similarity(b, a))
      expect(score).toBeGreaterThanOrEqual(0)
      expect(score).toBeLessThanOrEqual(1)
      expect(similarity(a, a)).toBe(1)
    }),
    { numRuns: 2_000 },
  )
})
