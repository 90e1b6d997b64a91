import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { eventId, subagentId } from '#domain/ids'
import { MAP_KINDS } from '#domain/session/minimap'
import { parseSearch } from '../../../lib/search'
import { parseSessionSearch, SESSION_VIEWS, type SessionPlace, writeSessionSearch } from './session-search'

const NOWHERE: SessionPlace = { at: null, agent: null, view: 'conversation', find: null, t: null, only: null }

test('what one looks at in a session comes back from its address', () => {
  const word = fc.string({ minLength: 1, maxLength: 40, unit: 'binary' }).filter((text) => text.isWellFormed())
  const place = fc.record({
    at: fc.option(fc.uuid().map(eventId)),
    agent: fc.option(word.map(subagentId)),
    view: fc.constantFrom(...SESSION_VIEWS),
    find: fc.option(word),
    only: fc.option(fc.constantFrom(...MAP_KINDS)),
    t: fc.option(
      fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }).map((date) => date.toISOString()),
    ),
  })
  fc.assert(
    fc.property(place, (one) => {
      expect(parseSessionSearch(parseSearch(writeSessionSearch(one)))).toEqual(one)
    }),
  )
})

test('an address that names nothing shows the end of the main thread, and nonsense counts as nothing', () => {
  expect(writeSessionSearch(NOWHERE)).toBe('')
  expect(parseSessionSearch({})).toEqual(NOWHERE)
  expect(parseSessionSearch({ at: '../x', view: 'all', other: '1' })).toEqual(NOWHERE)
  expect(parseSessionSearch({ at: '3B15A45D-67B1-4E27-BBBD-3B5FB2B10490' }).at).toBe(
    eventId('3b15a45d-67b1-4e27-bbbd-3b5fb2b10490'),
  )
})
