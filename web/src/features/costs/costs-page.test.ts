import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { dayOfNumber, readTimeZone, type TimeZone } from '#domain/cost/zone-days'
import { COST_GROUPS } from '#domain/overview/tree-entry'
import { parseSearch } from '../../lib/search'
import {
  COST_SPAN_NAMES,
  type CostsSearch,
  chartInput,
  costRowPath,
  costsInput,
  costsPath,
  parseCostsSearch,
  spanOf,
} from './costs-page'

const text = () => fc.string({ minLength: 1, maxLength: 200 }).filter((one) => one.isWellFormed())
const day = () => fc.integer({ min: 0, max: 40_000 }).map(dayOfNumber)

const parsed = (path: string): CostsSearch => parseCostsSearch(parseSearch(new URL(path, 'http://127.0.0.1').search))

test('what costs are summed by and of stands in the address and comes back from it', () => {
  const searches = fc.record(
    {
      by: fc.constantFrom(...COST_GROUPS),
      since: fc.oneof(fc.constantFrom(...COST_SPAN_NAMES), day()),
      until: day(),
      project: text(),
      model: text(),
      session: text(),
      task: text(),
    },
    { requiredKeys: [] },
  )
  fc.assert(fc.property(searches, (search) => expect(parsed(costsPath(search))).toEqual(search)))
})

test('days that there are not are none', () => {
  expect(parsed('/costs?since=2026-02-30&until=yesterday&by=ships')).toEqual({})
})

const zone = (name: string): TimeZone => {
  const found = readTimeZone(name)
  if (found === undefined) throw new Error(`${name} is not known here`)
  return found
}

// 22 November 2026, 00:30 in the zone two hours east.
const NOW = Date.parse('2026-11-21T22:30:00Z')
const EAST = zone('Africa/Johannesburg')
const BERLIN = zone('Europe/Berlin')

test('a stretch begins with a whole day of the person, the last 24 hours where they do', () => {
  const since = (search: CostsSearch) => costsInput(search, NOW, EAST).since
  expect(since({})).toBe('2026-10-23T22:00:00.000Z')
  expect(since({ since: '7d' })).toBe('2026-11-15T22:00:00.000Z')
  expect(since({ since: '24h' })).toBe('2026-11-20T22:30:00.000Z')
  expect(since({ since: 'all' })).toBeUndefined()
  expect(since({ since: '2026-11-20' })).toBe('2026-11-19T22:00:00.000Z')
  expect(since({ until: '2026-11-20' })).toBeUndefined()
})

test('the last day counts', () => {
  const { since, until } = costsInput({ since: '2026-11-20', until: '2026-11-20' }, NOW, EAST)
  expect(Date.parse(until ?? '') - Date.parse(since ?? '')).toBe(86_400_000)
})

test('a chosen day is as long as it was, and a stretch begins with a day on the other side of a change', () => {
  const chosen = (day: string) => {
    const { since, until, timeZone } = costsInput({ since: day, until: day }, NOW, BERLIN)
    return [since, until, timeZone]
  }
  expect(chosen('2026-03-29')).toEqual(['2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z', 'Europe/Berlin'])
  expect(chosen('2026-10-25')).toEqual(['2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z', 'Europe/Berlin'])
  expect(chosen('2026-07-01')).toEqual(['2026-06-30T22:00:00.000Z', '2026-07-01T22:00:00.000Z', 'Europe/Berlin'])
  // It is winter, and 30 days ago it was summer.
  expect(costsInput({}, NOW, BERLIN).since).toBe('2026-10-22T22:00:00.000Z')
  expect(costsInput({ since: '7d' }, NOW, BERLIN).since).toBe('2026-11-14T23:00:00.000Z')
})

test('which stretch is chosen', () => {
  expect(spanOf({})).toBe('30d')
  expect(spanOf({ since: 'all' })).toBe('all')
  expect(spanOf({ since: '2026-11-20' })).toBeNull()
  expect(spanOf({ since: '7d', until: '2026-11-20' })).toBeNull()
})

test('a row leads to what it is of, or to how it came about', () => {
  const paths = { session: (id: string) => `/sessions/${id}`, task: (id: string) => `/tasks/${id}` }
  const path = (search: CostsSearch, key: string, sessionId: string | null = null) =>
    costRowPath(search, { key, sessionId, taskId: null }, paths)
  expect(path({ since: '7d' }, 'project:abc')).toBe('/costs?since=7d&by=day&project=project%3Aabc')
  expect(path({ by: 'model' }, 'fox-1')).toBe('/costs?by=day&model=fox-1')
  expect(path({ by: 'day', since: '7d' }, '2026-11-20')).toBe('/costs?by=project&since=2026-11-20&until=2026-11-20')
  expect(path({ by: 'day', project: 'shop' }, '2026-11-20')).toContain('by=session')
  expect(path({ by: 'day' }, '')).toBeNull()
  expect(path({ by: 'subagent' }, 'agent:Explore')).toBeNull()
  expect(path({ by: 'session' }, '', 'abc')).toBe('/sessions/abc')
})

test('the chart is by hour, day or week as the span wants it, or as the person does where that is not too fine', () => {
  const stepOf = (search: CostsSearch) => chartInput(search, NOW, EAST).input.step
  expect([stepOf({ since: '24h' }), stepOf({}), stepOf({ since: 'all' })]).toEqual(['hour', 'day', 'week'])
  expect(stepOf({ since: '30d', step: 'hour' })).toBe('hour')
  // A first day of long ago is no reason to be refused.
  expect(chartInput({ since: '1970-01-01' }, NOW, EAST).input).toMatchObject({
    step: 'week',
    since: expect.stringMatching(/^200\d-/),
  })
  expect(chartInput({ since: 'all', step: 'hour' }, NOW, EAST)).toMatchObject({
    steps: ['week'],
    input: { step: 'week' },
  })
})

test('a brushed part narrows the rows and not the chart; half a part is none', () => {
  const part = { from: '2026-11-20T10:00:00.000Z', to: '2026-11-20T12:00:00.000Z' }
  const search = parseCostsSearch(
    parseSearch('?since=7d&from=2026-11-20T10%3A00%3A00Z&to=2026-11-20T12%3A00%3A00.000Z'),
  )
  expect(search).toEqual({ since: '7d', ...part })
  expect(costsInput(search, NOW, EAST)).toMatchObject({ since: part.from, until: part.to })
  expect(chartInput(search, NOW, EAST).input).toEqual(chartInput({ since: '7d' }, NOW, EAST).input)
  for (const text of ['?from=2026-11-20', '?from=2026-11-21&to=2026-11-20', '?from=x&to=y'])
    expect(parseCostsSearch(parseSearch(text))).toEqual({})
})
