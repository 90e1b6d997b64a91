import { afterAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { dayOfNumber, numberOfDay, ownTimeZone, readTimeZone, type TimeZone, UTC, ZoneDays } from './zone-days'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const QUARTER_HOUR_MS = 900_000

const zone = (name: string): TimeZone => {
  const found = readTimeZone(name)
  if (found === undefined) throw new Error(`${name} is not known here`)
  return found
}
const daysOf = (name: string) => new ZoneDays(zone(name))
const day = (name: string, time: string) => daysOf(name).dayAt(Date.parse(time))
const begin = (name: string, of: string) => new Date(daysOf(name).beginOf(of)).toISOString()
const hours = (name: string, of: string) =>
  (daysOf(name).beginOf(dayOfNumber(numberOfDay(of) + 1)) - daysOf(name).beginOf(of)) / HOUR_MS

describe('a day', () => {
  test('is that of the clock on either side of a change', () => {
    const times: [string, string, string][] = [
      // Forward on 29 March, back on 25 October.
      ['Europe/Berlin', '2026-03-28T22:59:59.999Z', '2026-03-28'],
      ['Europe/Berlin', '2026-03-28T23:00:00Z', '2026-03-29'],
      ['Europe/Berlin', '2026-03-29T21:59:59.999Z', '2026-03-29'],
      ['Europe/Berlin', '2026-03-29T22:00:00Z', '2026-03-30'],
      ['Europe/Berlin', '2026-10-24T21:59:59.999Z', '2026-10-24'],
      ['Europe/Berlin', '2026-10-24T22:00:00Z', '2026-10-25'],
      ['Europe/Berlin', '2026-10-25T22:59:59.999Z', '2026-10-25'],
      ['Europe/Berlin', '2026-10-25T23:00:00Z', '2026-10-26'],
      // Forward on 8 March, back on 1 November: 3½ and 2½ hours behind.
      ['America/St_Johns', '2026-03-08T03:29:00Z', '2026-03-07'],
      ['America/St_Johns', '2026-03-08T03:30:00Z', '2026-03-08'],
      ['America/St_Johns', '2026-03-09T02:29:00Z', '2026-03-08'],
      ['America/St_Johns', '2026-03-09T02:30:00Z', '2026-03-09'],
      ['America/St_Johns', '2026-11-01T02:30:00Z', '2026-11-01'],
      ['America/St_Johns', '2026-11-02T03:29:00Z', '2026-11-01'],
      // Half an hour back on 5 April, and forward on 4 October.
      ['Australia/Lord_Howe', '2026-04-04T12:59:00Z', '2026-04-04'],
      ['Australia/Lord_Howe', '2026-04-04T13:00:00Z', '2026-04-05'],
      ['Australia/Lord_Howe', '2026-04-05T13:29:00Z', '2026-04-05'],
      ['Australia/Lord_Howe', '2026-04-05T13:30:00Z', '2026-04-06'],
      ['Australia/Lord_Howe', '2026-10-03T13:30:00Z', '2026-10-04'],
      ['Australia/Lord_Howe', '2026-10-04T13:00:00Z', '2026-10-05'],
      ['Asia/Kathmandu', '2026-03-01T18:14:00Z', '2026-03-01'],
      ['Asia/Kathmandu', '2026-03-01T18:15:00Z', '2026-03-02'],
      ['UTC', '2026-03-01T23:59:59.999Z', '2026-03-01'],
      ['+05:30', '2026-03-01T18:30:00Z', '2026-03-02'],
    ]
    for (const [name, time, expected] of times) expect([name, time, day(name, time)]).toEqual([name, time, expected])
  })

  test('is that of whole hours where these are told, also around changes of the clock', () => {
    const numberIn = (spans: { upTo: number; east: number }[], hour: number) =>
      Math.floor((hour + (spans.find(({ upTo }) => hour < upTo)?.east ?? Number.NaN)) / 24)
    for (const name of ['UTC', 'Europe/Berlin', 'America/New_York', 'Pacific/Apia', 'Pacific/Auckland'])
      for (const time of ['2011-11-01T05:00:00Z', '2026-01-01T00:00:00Z']) {
        const [from, days] = [Date.parse(time) / HOUR_MS, daysOf(name)]
        const spans = days.wholeHours(from, from + 330 * 24 + 7) ?? []
        for (let hour = from; hour < from + 330 * 24 + 7; hour++)
          expect([name, hour, numberIn(spans, hour)]).toEqual([name, hour, days.numberAt(hour * HOUR_MS)])
        expect(spans.length).toBeLessThan(6)
      }
    const year = Date.parse('2026-01-01T00:00:00Z') / HOUR_MS
    for (const name of ['Asia/Kolkata', 'Asia/Kathmandu', 'Australia/Lord_Howe'])
      expect(daysOf(name).wholeHours(year, year + 8_000)).toBeUndefined()
    expect(daysOf('UTC').wholeHours(year, year + 9_000 * 366 * 24)).toBeUndefined()
  })

  test('may be left out by a zone: Apia had no 30 December 2011', () => {
    expect(day('Pacific/Apia', '2011-12-30T09:59:59.999Z')).toBe('2011-12-29')
    expect(day('Pacific/Apia', '2011-12-30T10:00:00Z')).toBe('2011-12-31')
    expect(begin('Pacific/Apia', '2011-12-30')).toBe('2011-12-30T10:00:00.000Z')
    expect(begin('Pacific/Apia', '2011-12-31')).toBe('2011-12-30T10:00:00.000Z')
  })

  test('has 23 or 25 hours where clocks change, and 24 elsewhere', () => {
    expect(begin('Europe/Berlin', '2026-03-29')).toBe('2026-03-28T23:00:00.000Z')
    expect(begin('Europe/Berlin', '2026-03-30')).toBe('2026-03-29T22:00:00.000Z')
    expect(['2026-03-29', '2026-10-25', '2026-07-01'].map((of) => hours('Europe/Berlin', of))).toEqual([23, 25, 24])
    expect(['2026-04-05', '2026-10-04'].map((of) => hours('Australia/Lord_Howe', of))).toEqual([24.5, 23.5])
    // Where the clock goes from 0 to 1, the day begins at 1; where it shows 0 twice, at the first.
    expect(begin('Africa/Cairo', '2026-04-24')).toBe('2026-04-23T22:00:00.000Z')
    expect(begin('America/Havana', '2026-11-01')).toBe('2026-11-01T04:00:00.000Z')
  })

  test('is told before 1970, with offsets in seconds, and at the ends of what a date can hold', () => {
    expect(day('Europe/Berlin', '1969-12-31T23:30:00Z')).toBe('1970-01-01')
    expect(day('UTC', '1969-12-31T23:59:59.999Z')).toBe('1969-12-31')
    expect(daysOf('UTC').numberAt(-1)).toBe(-1)
    expect(day('Europe/Berlin', '1880-01-01T23:06:31Z')).toBe('1880-01-01')
    expect(day('Europe/Berlin', '1880-01-01T23:06:32Z')).toBe('1880-01-02')
    for (const name of ['Europe/Berlin', 'America/St_Johns', 'UTC'])
      for (const at of [8.64e15, -8.64e15, Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER])
        expect(daysOf(name).dayAt(at)).toMatch(at < 0 ? /^-271821-04-\d\d$/ : /^\+275760-09-1[23]$/)
  })

  test('is a number and back', () => {
    expect(numberOfDay('1970-01-02')).toBe(1)
    expect(dayOfNumber(-1)).toBe('1969-12-31')
    expect(numberOfDay('soon')).toBeNaN()
  })
})

describe('in every zone', () => {
  const zones = Intl.supportedValuesOf('timeZone')
  const anyZone = fc.constantFrom(...zones)

  /** The date that Intl writes, read back. */
  function calendarOf(name: string): (at: number) => string {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      calendar: 'gregory',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    })
    return (at) => {
      const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]))
      return `${parts.get('year')}-${parts.get('month')}-${parts.get('day')}`
    }
  }

  test('the day of a time is the one that Intl writes', () => {
    // All hours of a month, each that much after it began: one month in six has a change, where there are any.
    const months = fc.integer({ min: 0, max: 130 * 12 - 1 })
    fc.assert(
      fc.property(anyZone, months, fc.integer({ min: 0, max: HOUR_MS - 1 }), (name, month, after) => {
        const days = daysOf(name)
        const first = Date.UTC(1970, month)
        const all = Array.from({ length: 31 * 24 }, (_, hour) => first + hour * HOUR_MS + after)
        expect([name, all.map((at) => days.dayAt(at))]).toEqual([name, all.map(calendarOf(name))])
      }),
    )
  })

  test('each day of a year begins where the one before ends, at the end of a quarter hour', () => {
    const years = fc.integer({ min: 2016, max: 2099 })
    fc.assert(
      fc.property(anyZone, years, (name, year) => {
        const days = daysOf(name)
        const calendar = calendarOf(name)
        const first = Date.UTC(year, 0) / DAY_MS
        for (let number = first; number < first + 366; number++) {
          const at = days.beginOf(dayOfNumber(number))
          const told = [name, calendar(at - 1), calendar(at), at % QUARTER_HOUR_MS]
          expect(told).toEqual([name, dayOfNumber(number - 1), dayOfNumber(number), 0])
        }
      }),
      { numRuns: 60 },
    )
  })
})

describe('a zone', () => {
  const { TZ } = process.env
  afterAll(() => {
    if (TZ === undefined) delete process.env.TZ
    else process.env.TZ = TZ
  })

  test('is one that is known here', () => {
    expect(readTimeZone('Europe/Berlin') as string).toBe('Europe/Berlin')
    for (const name of ['', 'Nowhere/Land', 'Etc/Unknown', 'Europe/Berlin ', 'a\0b', undefined])
      expect([name, readTimeZone(name)]).toEqual([name, undefined])
  })

  test("is the process's own, and UTC where its name says nothing", () => {
    process.env.TZ = 'Asia/Kathmandu'
    expect(ownTimeZone() as string).toBe('Asia/Kathmandu')
    expect(ownTimeZone('Etc/Unknown')).toBe(UTC)
  })
})
