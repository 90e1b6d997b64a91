import { DAY_MS } from '../../../../domain/time-units'

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')

interface WallClock {
  year: number
  /** 1–12. */
  month: number
  /** From 1; beyond the month's end it is a day of the next. */
  day: number
  hour: number
  minute: number
}

/**
 * Reads a time as the CLI prints it: `3pm`, `4:50am (Europe/Rome)`, `Oct 31, 9am`, `Sep 15 at 7pm`, `Jan 2, 2027, 9am (UTC)`.
 * Without a date it is the next such time, without a year the next such date; without a zone that of this machine.
 *
 * @returns milliseconds since the epoch, `null` for what is no time.
 */
export function nextTime(text: string, now: number): number | null {
  const clock = /(?<![\d:])(\d{1,2})(?::(\d{2}))?\s*([ap])\.?m\b|(?<![\d:])(\d{1,2}):(\d{2})(?![\d:])/i.exec(text)
  const date = /\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+(\d{1,2})(?:,\s*(\d{4}))?/i.exec(text)
  if (!clock && !date) return null
  const zone = zoneOf(/\(([\w+/:-]{1,60})\)/.exec(text)?.[1])
  const time = clock ? timeOf(clock) : { hour: 0, minute: 0 }
  if (!time) return null
  return date ? atDate(date, time, zone, now) : atTime(time, zone, now)
}

function timeOf(found: RegExpExecArray): { hour: number; minute: number } | null {
  const half = found[3]?.toLowerCase()
  const hour = Number(found[1] ?? found[4])
  const minute = Number(found[2] ?? found[5] ?? 0)
  if (minute > 59 || (half ? hour < 1 || hour > 12 : hour > 23)) return null
  return { hour: half ? (hour % 12) + (half === 'p' ? 12 : 0) : hour, minute }
}

function atTime(time: { hour: number; minute: number }, zone: string | undefined, now: number): number {
  const { year, month, day } = wallClock(now, zone)
  for (let days = 0; days <= 2; days++) {
    // By the calendar: a day of a change of the clock has not 24 hours.
    const at = instantOf({ year, month, day: day + days, ...time }, zone)
    if (at > now) return at
  }
  return now + DAY_MS
}

function atDate(
  found: RegExpExecArray,
  time: { hour: number; minute: number },
  zone: string | undefined,
  now: number,
): number | null {
  const month = MONTHS.indexOf((found[1] ?? '').toLowerCase()) + 1
  const day = Number(found[2])
  if (day < 1 || day > 31) return null
  if (found[3] !== undefined) return instantOf({ year: Number(found[3]), month, day, ...time }, zone)
  const { year } = wallClock(now, zone)
  const at = instantOf({ year, month, day, ...time }, zone)
  // Read a little late it is past, and still this year's; half a year back it is the next one's.
  return at > now - 180 * DAY_MS ? at : instantOf({ year: year + 1, month, day, ...time }, zone)
}

/** A zone that is known here; `undefined` = the machine's. */
function zoneOf(name: string | undefined): string | undefined {
  if (name === undefined) return undefined
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name })
    return name
  } catch {
    return undefined
  }
}

function wallClock(at: number, zone: string | undefined): WallClock {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  }).formatToParts(at)
  const part = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((part) => part.type === type)?.value ?? 0)
  return { year: part('year'), month: part('month'), day: part('day'), hour: part('hour'), minute: part('minute') }
}

const asUtc = (clock: WallClock): number => Date.UTC(clock.year, clock.month - 1, clock.day, clock.hour, clock.minute)

/** The instant at which a clock of that zone shows this; of a time that summer time leaves out, the one an hour later. */
function instantOf(clock: WallClock, zone: string | undefined): number {
  const wanted = asUtc(clock)
  let at = wanted
  // The offset found may be that of the other side of a change of the clock: once more from there.
  for (let i = 0; i < 2; i++) at += wanted - asUtc(wallClock(at, zone))
  return at
}
