import { expect, test } from 'bun:test'
import { nearest } from './suggest'

test('finds what a slip of the hand meant, and nothing else', () => {
  const names = ['session', 'status', 'search', 'serve', 'subagent', 'feed']
  expect(nearest('sesion', names)).toBe('session')
  expect(nearest('sessoin', names)).toBe('session')
  expect(nearest('SESSION', names)).toBe('session')
  expect(nearest('stat', names)).toBe('status')
  expect(nearest('sub', names)).toBe('subagent')
  expect(nearest('xyzzy', names)).toBeUndefined()
  expect(nearest('', names)).toBeUndefined()
  expect(nearest('x'.repeat(100_000), names)).toBeUndefined()
})
