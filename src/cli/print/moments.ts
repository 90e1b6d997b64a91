import { AppError } from '../../domain/errors'
import { parseDurationMs } from '../../domain/task/task-input'

/** Spans and points in time as a person types them. */

/**
 * `90s`, `30m`, `2h`, `1h30m`, `1d` in milliseconds.
 *
 * @param name  the option, for the message
 * @throws `invalid`  anything else; a bare number too, since its unit would be guessed
 */
export function parseSpan(name: string, text: string): number {
  const ms = parseDurationMs(text)
  if (ms === null) {
    throw new AppError('invalid', `${name} needs a time span like 90s, 30m, 2h or 1h30m, not '${text.slice(0, 60)}'.`)
  }
  return ms
}

/**
 * A time to come as ISO 8601 in UTC: a span from now (`2h`), a clock time (`18:30`, the next one here), or a date with or without
 * time (`2026-11-20`, `2026-11-20T18:30`, `…Z`; without a zone it is this machine's).
 *
 * @param now  milliseconds since the epoch
 * @throws `invalid`
 */
export function parseMoment(name: string, text: string, now: number): string {
  const span = parseDurationMs(text.replace(/^\+/, ''))
  if (span !== null) return new Date(now + span).toISOString()
  return clockOrDate(name, text, now, '2h (from now)', 'next')
}

/** @param span  an example of the other form, for the hint */
function clockOrDate(name: string, text: string, now: number, span: string, when: 'next' | 'past'): string {
  const clock = /^(\d{1,2}):(\d{2})$/.exec(text)
  if (clock) {
    const [hours, minutes] = [Number(clock[1]), Number(clock[2])]
    if (hours < 24 && minutes < 60) return atClock(now, hours, minutes, when)
  }
  const date = /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00` : text.replace(/^(\d{4}-\d{2}-\d{2}) /, '$1T')
  const at = /^\d{4}-\d{2}-\d{2}T/.test(date) ? new Date(date) : new Date(Number.NaN)
  if (!Number.isNaN(at.getTime())) return at.toISOString()
  throw new AppError('invalid', `${name} needs a time, not '${text.slice(0, 60)}'.`, {
    hint: `For example ${span}, 18:30, 2026-11-20 or 2026-11-20T18:30.`,
  })
}

/** The same of a time gone by: a span means this long ago (`7d`), a clock time the last one here. */
export function parsePastMoment(name: string, text: string, now: number): string {
  const span = parseDurationMs(text.replace(/^-/, ''))
  if (span !== null) return new Date(now - span).toISOString()
  return clockOrDate(name, text, now, '7d (ago)', 'past')
}

/** The next such time, or the last one. A time that today's clock leaves out does not move that of another day. */
function atClock(now: number, hours: number, minutes: number, when: 'next' | 'past'): string {
  const today = new Date(now)
  const on = (days: number) =>
    new Date(today.getFullYear(), today.getMonth(), today.getDate() + days, hours, minutes).getTime()
  const isToCome = on(0) > now
  const days = when === 'next' ? (isToCome ? 0 : 1) : isToCome ? -1 : 0
  return new Date(on(days)).toISOString()
}
