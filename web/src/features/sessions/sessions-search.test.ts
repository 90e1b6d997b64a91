import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { SHOWN_SESSION_STATUSES } from '#domain/session/session'
import { COUNTED_SPANS } from '#domain/session/session-list'
import { parseSearch } from '../../lib/search'
import { parseSessionsSearch, sessionsFilter, sessionsPath, sortedBy, withFacet } from './sessions-search'

test('what a list of sessions shows stands in its address and comes back from it', () => {
  const text = fc.string({ minLength: 1, maxLength: 200 }).filter((one) => one.isWellFormed())
  const search = fc.record(
    {
      ...{ q: text, agent: text, project: text, model: text, branch: text, host: text },
      errors: fc.constantFrom(...COUNTED_SPANS.errors),
      cost: fc.constantFrom(...COUNTED_SPANS.cost),
      length: fc.constantFrom(...COUNTED_SPANS.length),
      status: fc.constantFrom(...SHOWN_SESSION_STATUSES),
      sort: fc.constantFrom('cost' as const, 'errors' as const),
      ascending: fc.constant(true as const),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(search, (one) => {
      const url = new URL(sessionsPath(one), 'http://127.0.0.1')
      expect(parseSessionsSearch(parseSearch(url.search))).toEqual(one)
    }),
  )
})

test('words that no list knows are left out', () => {
  expect(
    parseSessionsSearch(parseSearch('?status=gone&sort=colour&cost=much&errors=5..1&ascending=maybe&x=y')),
  ).toEqual({})
})

test('a facet is narrowed by one click and widened by the next', () => {
  const narrowed = withFacet({ q: 'a' }, 'branch', null)
  expect(sessionsFilter(narrowed)).toEqual({ text: 'a', branch: null })
  expect(withFacet(narrowed, 'branch', null)).toEqual({ q: 'a' })
  expect(withFacet(narrowed, 'branch', 'main')).toEqual({ q: 'a', branch: 'main' })
})

test('a column that is clicked again is turned round', () => {
  const byCost = sortedBy({}, 'cost')
  expect([byCost, sortedBy(byCost, 'cost'), sortedBy(sortedBy(byCost, 'cost'), 'cost')]).toEqual([
    { sort: 'cost' },
    { sort: 'cost', ascending: true },
    { sort: 'cost' },
  ])
  expect(sortedBy(sortedBy(byCost, 'cost'), 'active')).toEqual({})
})
