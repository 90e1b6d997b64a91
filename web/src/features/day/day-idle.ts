import type { IdleSpan } from '../session/replay/replay-clock'
import type { DayAnswer } from './day-query'

/** When nothing was at work, from the day's begin to its end. Milliseconds. */
export function idleOf({ from, to, active }: Pick<DayAnswer, 'from' | 'to' | 'active'>): IdleSpan[] {
  const idle: IdleSpan[] = []
  let last = Date.parse(from)
  for (const span of active) {
    const begin = Date.parse(span.from)
    if (begin > last) idle.push({ from: last, to: begin })
    last = Math.max(last, Date.parse(span.to))
  }
  const end = Date.parse(to)
  if (end > last) idle.push({ from: last, to: end })
  return idle
}
