import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { isDeeper } from './json-depth'

const bytes = (text: string) => new TextEncoder().encode(text)

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0

test('counts arrays and objects, and no bracket of a string', () => {
  expect(isDeeper(bytes('[[1],{"a":[]}]'), 3)).toBe(false)
  expect(isDeeper(bytes('[[1],{"a":[]}]'), 2)).toBe(true)
  expect(isDeeper(bytes(JSON.stringify(['[[[[', '\\"[[', '\\\\', '{"'])), 1)).toBe(false)
  expect(isDeeper(bytes('"[[['), 0)).toBe(false)
  expect(isDeeper(bytes('['.repeat(10_000_000)), 100)).toBe(true)
})

test('agrees with the depth of any value', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
      const text = bytes(JSON.stringify(value))
      const depth = depthOf(value)
      expect(isDeeper(text, depth)).toBe(false)
      if (depth > 0) expect(isDeeper(text, depth - 1)).toBe(true)
    }),
  )
})
