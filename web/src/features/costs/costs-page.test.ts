import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { dayOfNumber, readTimeZone, type TimeZone } from '#domain/cost/zone-days'
import { COST_GROUPS } from '#domain/overview/tree-entry'
import { parseSearch } from '../../lib/search'
import {
  COST_SPAN_NAMES,
  type CostsSearch,
  chartBounds,
  costRowPath,
  costsInput,
  costsPath,
  everyDay,
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

test('days between days are there too, and one day of long ago does not draw a thousand bars', () => {
  expect(everyDay(['2026-03-01', '2026-02-27'])).toEqual(['2026-02-27', '2026-02-28', '2026-03-01'])
  expect(everyDay([''])).toEqual([])
  const far = everyDay(['1970-01-01', '2026-11-22'])
  expect(far.length).toBe(400)
  expect(far.at(-1)).toBe('2026-11-22')
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

test('a chosen stretch is drawn whole, though nothing was on its first and last day', () => {
  expect(chartBounds({ since: '7d' }, NOW, EAST)).toEqual(['2026-11-16', '2026-11-22'])
  expect(chartBounds({ since: '2026-11-01', until: '2026-11-03' }, NOW, EAST)).toEqual(['2026-11-01', '2026-11-03'])
  expect(chartBounds({ since: 'all' }, NOW, EAST)).toEqual([])
  for (const [since, until] of [
    ['2026-03-28', '2026-03-29'],
    ['2026-10-25', '2026-10-25'],
    ['2026-10-26', '2026-10-26'],
  ] as const)
    expect(chartBounds({ since, until }, NOW, BERLIN)).toEqual([since, until])
  expect(chartBounds({}, NOW, BERLIN)).toEqual(['2026-10-23', '2026-11-21'])
})
