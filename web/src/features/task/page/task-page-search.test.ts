import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseSearch } from '../../../lib/search'
import { LOG_VIEWS, parseNewTaskSearch, parseTaskPageSearch, writeTaskPageSearch } from './task-page-search'

const text = fc.string({ minLength: 1, maxLength: 200 }).filter((one) => one.isWellFormed())

test("what a task's page shows stands in its address and comes back from it", () => {
  const page = fc.record({ log: fc.constantFrom(...LOG_VIEWS), tree: fc.constant(true as const) }, { requiredKeys: [] })
  const dialog = fc.record({ isOpen: fc.constant(true), parent: text, issue: text }, { requiredKeys: ['isOpen'] })
  fc.assert(
    fc.property(page, fc.option(dialog, { nil: undefined }), (shown, open) => {
      const search = parseSearch(writeTaskPageSearch(shown, open))
      expect(parseTaskPageSearch(search)).toEqual(shown)
      expect(parseNewTaskSearch(search)).toEqual(open ?? { isOpen: false })
    }),
  )
})

test('a dialog that nobody opened has no fields', () => {
  expect(parseNewTaskSearch(parseSearch('?parent=t-7f3k&new=yes'))).toEqual({ isOpen: false })
  expect(parseTaskPageSearch(parseSearch('?log=all&tree=2'))).toEqual({})
})
