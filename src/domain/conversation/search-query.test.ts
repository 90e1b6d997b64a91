import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { TimeZone } from '../cost/zone-days'
import { isAppError } from '../errors'
import { FILTERS, NO_FILTERS, readSearch, toggleFilter } from './search-query'

const clock = { now: Date.parse('2026-11-24T12:00:00Z') }
const read = (text: string) => readSearch(text, clock)

test('filters are taken out of the words, and what is quoted or unknown stays', () => {
  expect(read('flaky is:error Tool:Bash tool:mcp__* "is:error" http://x foo:bar "two words"')).toEqual({
    words: 'flaky "is:error" http://x foo:bar "two words"',
    filters: { ...NO_FILTERS, kinds: ['error'], tools: ['bash', 'mcp__*'] },
  })
  expect(read('project:"my project" agent:codex session:3f2a').filters).toEqual({
    ...NO_FILTERS,
    projects: ['my project'],
    agents: ['codex'],
    sessions: ['3f2a'],
  })
  expect(read('a is: b tool:""')).toEqual({ words: 'a b', filters: NO_FILTERS })
  // As a phone writes quotes.
  expect(read('“two words” tool:“my tool”')).toEqual({
    words: '"two words"',
    filters: { ...NO_FILTERS, tools: ['my tool'] },
  })
})

test('days are those of the zone, and an age counts back from now', () => {
  const zoned = readSearch('after:2026-11-01 before:2d', { ...clock, timeZone: 'America/New_York' as TimeZone })
  expect(zoned.filters.after).toBe(Date.parse('2026-11-01T04:00:00Z'))
  expect(zoned.filters.before).toBe(clock.now - 2 * 86_400_000)
})

test('a value that no filter has is an error with what may stand there', () => {
  for (const text of ['is:eror', 'before:yesterday', 'after:2026-13-01', 'is:constructor']) {
    expect(() => read(text)).toThrow(`The search does not know ${text}.`)
  }
})

test('no text is anything but a query or that error', () => {
  const piece = fc.oneof(
    fc.constantFrom('"', ':', ' ', 'is:', 'before:', 'session:', 'toString:', '__proto__:x'),
    fc.string({ unit: 'binary', maxLength: 5 }),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 10 }), (pieces) => {
      try {
        read(pieces.join(''))
      } catch (error) {
        expect(isAppError(error) && error.code === 'invalid').toBe(true)
      }
    }),
  )
})

test('a filter that is toggled twice is gone', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...(Object.keys(FILTERS) as (keyof typeof FILTERS)[])),
      fc.stringMatching(/^[a-z /]{1,9}$/),
      (name, value) => {
        fc.pre(value.trim() === value)
        const once = toggleFilter('two words', name, value)
        expect(once).not.toBe('two words')
        expect(toggleFilter(once, name, value)).toBe('two words')
      },
    ),
  )
})
