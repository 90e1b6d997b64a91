import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseSearch } from '../../lib/search'
import { kindsOf, parseSearchPage, SEARCH_KINDS, searchPath } from './search-page'

const text = () => fc.string({ minLength: 1, maxLength: 200 }).filter((one) => one.isWellFormed())

test('what is looked for stands in the address and comes back from it', () => {
  const searches = fc.record(
    { q: text(), session: text(), kind: fc.constantFrom(...SEARCH_KINDS) },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(searches, (search) => {
      const url = new URL(searchPath(search), 'http://127.0.0.1')
      expect(parseSearchPage(parseSearch(url.search))).toEqual(search)
    }),
  )
})

test('a kind that is none narrows nothing', () => {
  expect(parseSearchPage(parseSearch('?q=rope&kind=ships'))).toEqual({ q: 'rope' })
})

test('of one session only its words are looked for', () => {
  expect(kindsOf({ q: 'rope', session: '4e16', kind: 'tasks' })).toEqual(['words'])
  expect(kindsOf({ q: 'rope' })).toEqual(SEARCH_KINDS)
  expect(kindsOf({ kind: 'issues' })).toEqual(['issues'])
})
