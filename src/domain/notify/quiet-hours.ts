import { MINUTE_MS } from '../time-units'

/** A span of each day in which a channel is silent. Both ends are minutes since midnight; it may pass midnight. */
export interface QuietHours {
  from: number
  until: number
  /** A name of the IANA database, e.g. `Europe/Berlin`. */
  zone: string
}

const DAY_MINUTES = 1_440
const CLOCK = /^(?:[01]\d|2[0-3]):[0-5]\d$/

/** `22:00-07:00` as minutes; `null` = it is no such span. */
export function parseQuietSpan(text: string): Pick<QuietHours, 'from' | 'until'> | null {
  const [from = '', until = '', ...more] = text.split('-')
  if (more.length > 0 || !CLOCK.test(from) || !CLOCK.test(until) || from === until) return null
  return { from: minutesOf(from), until: minutesOf(until) }
}

const minutesOf = (clock: string): number => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3))

/** `22:00-07:00`. */
export const quietSpanText = ({ from, until }: Pick<QuietHours, 'from' | 'until'>): string =>
  `${clockOf(from)}-${clockOf(until)}`

const clockOf = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`

/** Whether the IANA database knows the zone. */
export function isTimeZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en-GB', { timeZone: zone })
    return true
  } catch {
    return false
  }
}

/**
 * When the quiet hours that `now` is in are over, in milliseconds; `null` = it is in none. A night in which the clock is moved may end
 * an hour early or late.
 */
export function quietUntil({ from, until, zone }: QuietHours, now: number): number | null {
  const minute = minuteOfDay(now, zone)
  const isQuiet = from < until ? minute >= from && minute < until : minute >= from || minute < until
  if (!isQuiet) return null
  const left = (until - minute + DAY_MINUTES) % DAY_MINUTES
  return Math.floor(now / MINUTE_MS) * MINUTE_MS + left * MINUTE_MS
}

function minuteOfDay(now: number, zone: string): number {
  const clock = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
  return minutesOf(clock.format(now))
}
