import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseSearch } from '../../lib/search'
import { GROUP_NAMES, parseTreeSearch, treePath } from './tree-search'

const through = (search: Parameters<typeof treePath>[0]) =>
  parseTreeSearch(parseSearch(new URL(treePath(search), 'http://127.0.0.1').search))

test('what the tree shows stands in its address and comes back from it', () => {
  const id = fc.stringMatching(/^(project|task|session|subagent):[\w/.-]{1,40}$/)
  const search = fc.record(
    {
      status: fc.constantFrom(...GROUP_NAMES),
      q: fc.string({ minLength: 1, maxLength: 40 }).filter((text) => text.isWellFormed()),
      span: fc.constantFrom('1h', '24h', '7d'),
      open: fc.array(id, { maxLength: 8 }),
      at: id,
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(search, (given) => {
      expect(through(given)).toEqual(given)
    }),
  )
})

test('nothing open is not the same as no choice', () => {
  expect(through({ open: [] })).toEqual({ open: [] })
  expect(through({})).toEqual({})
})

test('an address stays short, and keeps what was opened last', () => {
  const open = Array.from({ length: 200 }, (_, at) => `session:0000000${at}-1111-2222-3333-444444444444`)
  expect(treePath({ open }).length).toBeLessThan(2_000)
  expect(through({ open }).open?.at(-1)).toBe(open.at(-1))
})
