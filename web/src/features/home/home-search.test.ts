import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseSearch } from '../../lib/search'
import { homePath, parseHomeSearch } from './home-search'

test('what home shows stands in its address and comes back from it', () => {
  const text = fc.string({ minLength: 1, maxLength: 200 }).filter((one) => one.isWellFormed())
  fc.assert(
    fc.property(fc.record({ need: text, agent: text, request: text }, { requiredKeys: [] }), (search) => {
      const url = new URL(homePath(search), 'http://127.0.0.1')
      expect(parseHomeSearch(parseSearch(url.search))).toEqual(search)
    }),
  )
})

test('what nobody wrote is no need', () => {
  expect(parseHomeSearch(parseSearch('?need=&other=1&need=late'))).toEqual({ need: 'late' })
})
