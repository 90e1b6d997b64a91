import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseSearch } from './search'
import { kindsOf, parseSearchPage, SEARCH_KINDS, searchPath, snippetParts } from './search-page'

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

test('matches of a snippet are told from the rest, and nothing of it is lost', () => {
  expect(snippetParts('a \u0002rope\u0003 of \u0002hemp\u0003')).toEqual([
    { text: 'a ', isMatch: false },
    { text: 'rope', isMatch: true },
    { text: ' of ', isMatch: false },
    { text: 'hemp', isMatch: true },
  ])
  expect(snippetParts('')).toEqual([])
  fc.assert(
    fc.property(fc.string(), fc.string(), (a, b) => {
      const parts = snippetParts(`\u0003${a}\u0002${b}`)
      expect(parts.map((part) => part.text).join('')).toBe(`${a}${b}`.replaceAll('\u0002', '').replaceAll('\u0003', ''))
    }),
  )
})
