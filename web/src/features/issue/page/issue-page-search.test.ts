import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseSearch } from '../../../lib/search'
import { ISSUE_TEXTS, issuePagePath, parseIssueSearch } from './issue-page-search'

test('what an issue’s page shows stands in its address and comes back from it', () => {
  const text = fc.string({ minLength: 1, maxLength: 100, unit: 'grapheme' }).filter((one) => one.isWellFormed())
  const search = fc.record({ project: text, edit: fc.constantFrom(...ISSUE_TEXTS) }, { requiredKeys: [] })
  fc.assert(
    fc.property(text, search, (id, one) => {
      const url = new URL(issuePagePath(id, one), 'http://127.0.0.1')
      expect(parseIssueSearch(parseSearch(url.search))).toEqual(one)
      if (id !== '.' && id !== '..') expect(decodeURIComponent(url.pathname.slice('/issues/'.length))).toBe(id)
    }),
  )
})

test('a text that issues do not have is not edited', () => {
  expect(parseIssueSearch(parseSearch('?edit=id&project='))).toEqual({})
})
