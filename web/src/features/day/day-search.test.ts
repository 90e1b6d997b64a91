import { expect, test } from 'bun:test'
import { type TimeZone, ZoneDays } from '#domain/cost/zone-days'
import { idleOf } from './day-idle'
import { boundsOf, dayAfter, dayPath, parseDaySearch } from './day-search'

const HOUR = 3_600_000

test('an address of a day is read back as it was written, and what is no day, no time and no name is left out', () => {
  const search = { day: '2026-01-31', t: '2026-01-31T10:00:00.000Z', project: 'a&b=c', agent: 'codex' }
  const written = new URL(dayPath(search), 'http://x').searchParams
  expect(parseDaySearch(Object.fromEntries(written))).toEqual(search)
  for (const day of ['2026-02-31', '2026-1-1', 'today', '12026-01-01'])
    expect(parseDaySearch({ day, t: 'noon', project: '' })).toEqual({})
})

test('a day has the hours that clocks give it, and its neighbours lie around it', () => {
  const lengthOf = (day: string, zone: string) => {
    const { from, to } = boundsOf(day, new ZoneDays(zone as TimeZone))
    return (to - from) / HOUR
  }
  expect(lengthOf('2026-03-29', 'Europe/Berlin')).toBe(23)
  expect(lengthOf('2026-10-25', 'Europe/Berlin')).toBe(25)
  expect(lengthOf('2026-10-04', 'Australia/Lord_Howe')).toBe(23.5)
  expect(lengthOf('2026-03-29', 'UTC')).toBe(24)
  const days = new ZoneDays('Europe/Berlin' as TimeZone)
  expect(boundsOf('2026-03-28', days).to).toBe(boundsOf('2026-03-29', days).from)
  expect(boundsOf('2026-03-29', days).to).toBe(boundsOf('2026-03-30', days).from)
  // Apia left this day out: there is a time to ask for all the same.
  const none = boundsOf('2011-12-30', new ZoneDays('Pacific/Apia' as TimeZone))
  expect(none.to).toBeGreaterThan(none.from)
  expect([dayAfter('2026-03-01', -1), dayAfter('2026-12-31', 1)]).toEqual(['2026-02-28', '2027-01-01'])
})

test('what is idle in a day is all that is not at work, from its begin to its end', () => {
  const iso = (hour: number) => new Date(hour * HOUR).toISOString()
  const spans = (...active: [number, number][]) =>
    idleOf({ from: iso(0), to: iso(24), active: active.map(([from, to]) => ({ from: iso(from), to: iso(to) })) }).map(
      ({ from, to }) => [from / HOUR, to / HOUR],
    )
  expect(spans([2, 3], [5, 24])).toEqual([
    [0, 2],
    [3, 5],
  ])
  expect(spans([0, 1])).toEqual([[1, 24]])
  expect(spans()).toEqual([[0, 24]])
})
