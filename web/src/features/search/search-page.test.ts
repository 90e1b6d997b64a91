import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseSearch } from '../../lib/search'
import { kindsOf, parseSearchPage, SEARCH_KINDS, searchPath, titleSearch } from './search-page'

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

test('filters of lines leave out what has no lines, and an agent CLI what has none', () => {
  expect(kindsOf({ q: 'rope is:error tool:Bash' })).toEqual(['words'])
  expect(kindsOf({ q: 'rope agent:codex' })).toEqual(['words', 'sessions'])
  expect(kindsOf({ q: 'rope', agent: 'codex' })).toEqual(['words', 'sessions'])
  expect(kindsOf({ q: 'rope before:7d', kind: 'tasks' })).toEqual([])
  expect(kindsOf({ q: 'rope "is:error" is:' })).toEqual(SEARCH_KINDS)
})

test('titles are searched for the words of a query, without its signs and filters', () => {
  expect(titleSearch('“harbour master” rop* *ain* agent:Codex is:error')).toEqual({
    text: 'harbour master rop ain',
    agent: 'codex',
    isOfLines: true,
  })
  expect(titleSearch('harbours decided news t-4running runs').text).toBe('harbour decid news t-4running runs')
  expect(titleSearch('rope agent:codex')).toEqual({ text: 'rope', agent: 'codex', isOfLines: false })
  expect(kindsOf({ q: 'rope agent:codex agent:pi' })).toEqual(['words'])
  expect(kindsOf({ q: 'agent:codex' })).toEqual(['words', 'sessions'])
  expect(kindsOf({ q: '"*"' })).toEqual(['words'])
})
