/** Days as the clocks of a time zone have them, also where those are put forward and back. */

import { DAY_MS, HOUR_MS, SECOND_MS } from '../time-units'

declare const brand: unique symbol

/** A zone that is known here: an IANA name like `Europe/Berlin`, or an offset like `+01:00`. */
export type TimeZone = string & { readonly [brand]: 'TimeZone' }

/** A day of the calendar: `2026-01-31`; beyond the years 0 to 9999 with a sign, as ISO 8601 writes them. */
export type Day = string

export const UTC = 'UTC' as TimeZone

/** What a `Date` can hold, in days before and after 1970. */
const MAX_DAYS = 100_000_000
const HOURS_OF_DAY = 24
const MOST_HOURS = 30 * 366 * HOURS_OF_DAY
const SECONDS_OF_DAY = DAY_MS / SECOND_MS

/** `undefined` = no zone that is known here. */
export function readTimeZone(name: string | undefined): TimeZone | undefined {
  if (name === undefined) return undefined
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name })
    return name as TimeZone
  } catch {
    return undefined
  }
}

/** The zone of this process or browser; UTC where its name says nothing (`Etc/Unknown`). */
export const ownTimeZone = (name = Intl.DateTimeFormat().resolvedOptions().timeZone): TimeZone =>
  readTimeZone(name) ?? UTC

/** A day by its number, 0 = 1970-01-01. */
export const dayOfNumber = (number: number): Day =>
  new Date(Math.max(-MAX_DAYS, Math.min(number, MAX_DAYS)) * DAY_MS).toISOString().split('T')[0] ?? ''

/** @returns the number of a day, 0 = 1970-01-01; NaN for a text that is none */
export const numberOfDay = (day: Day): number => Date.parse(`${day}T00:00:00Z`) / DAY_MS

/**
 * The days of one zone. Remembers two numbers for each day that it was asked about, so it is made for one answer and not kept.
 */
export class ZoneDays {
  private readonly format: Intl.DateTimeFormat
  /** Offsets at midnight in UTC, by the day's number. */
  private readonly offsets = new Map<number, number>()

  constructor(timeZone: TimeZone) {
    this.format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' })
  }

  /**
   * The number of the day that it is there.
   *
   * @param at  milliseconds since the epoch
   */
  numberAt(at: number): number {
    const day = Math.floor(at / DAY_MS)
    const offset = this.midnightOffset(day)
    // To ask for an offset takes 2 µs: once for each day, but on days with a change.
    const own = offset === this.midnightOffset(day + 1) ? offset : this.offsetAt(at)
    return Math.floor((at + own) / DAY_MS)
  }

  /** The day that it is there. */
  dayAt(at: number): Day {
    return dayOfNumber(this.numberAt(at))
  }

  /**
   * When a day begins there, in milliseconds since the epoch; one that the zone left out (Apia's 2011-12-30), when the next begins.
   *
   * @param day  one of the years 0 to 9999
   */
  beginOf(day: Day): number {
    const number = numberOfDay(day)
    // No clock is a whole day off UTC. To the second, since old offsets have them.
    let [before, begin] = [(number - 1) * SECONDS_OF_DAY, (number + 1) * SECONDS_OF_DAY]
    while (begin - before > 1) {
      const middle = Math.floor((before + begin) / 2)
      if (this.numberAt(middle * SECOND_MS) < number) before = middle
      else begin = middle
    }
    return begin * SECOND_MS
  }

  /**
   * How many hours east of UTC it is there in the hours of a time, each up to an hour that is not included; `undefined` = not always a
   * whole number, or the time is longer than thirty years.
   *
   * @param from  hours since 1970 in UTC, both
   */
  wholeHours(from: number, to: number): { upTo: number; east: number }[] | undefined {
    if (to - from > MOST_HOURS) return undefined
    const spans: { upTo: number; east: number }[] = []
    for (let hour = from; hour < to; ) {
      const day = Math.floor(hour / HOURS_OF_DAY)
      const offset = this.midnightOffset(day)
      // A clock is put forward or back at any hour of a day.
      const upTo = Math.min(to, offset === this.midnightOffset(day + 1) ? (day + 1) * HOURS_OF_DAY : hour + 1)
      const east = (upTo === hour + 1 ? this.offsetAt(hour * HOUR_MS) : offset) / HOUR_MS
      if (!Number.isInteger(east) || (upTo === hour + 1 && this.offsetAt(upTo * HOUR_MS - 1) !== east * HOUR_MS))
        return undefined
      const last = spans.at(-1)
      if (last?.east === east) last.upTo = upTo
      else spans.push({ upTo, east })
      hour = upTo
    }
    return spans
  }

  private midnightOffset(day: number): number {
    const known = this.offsets.get(day)
    if (known !== undefined) return known
    const offset = this.offsetAt(day * DAY_MS)
    this.offsets.set(day, offset)
    return offset
  }

  /** Milliseconds east of UTC. */
  private offsetAt(at: number): number {
    const end = MAX_DAYS * DAY_MS
    const text = this.format.format(Math.max(-end, Math.min(at, end)))
    const found = /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(text)
    if (found === null) return 0
    const [, sign, hours, minutes, seconds = 0] = found
    const total = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)
    return (sign === '-' ? -total : total) * SECOND_MS
  }
}
