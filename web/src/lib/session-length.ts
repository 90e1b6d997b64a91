import type { ShownSessionStatus } from '#domain/session/session'
import { exactTime, lengthOf } from './time'

interface TimedSession {
  status: ShownSessionStatus
  /** The first and the last time that its lines tell, ISO 8601; `null` = none. */
  startedAt: string | null
  lastEventAt: string | null
}

/**
 * How long a session took, as far as its lines say. One whose lines have one time alone has no length: it is not zero, but unknown.
 *
 * @param now  milliseconds since the epoch
 * @returns `null` = no line has a time
 */
export function sessionLength(session: TimedSession, now: number): { words: string; title: string } | null {
  const { status, startedAt, lastEventAt } = session
  if (startedAt === null) return null
  const from = Date.parse(startedAt)
  // Its last line may be minutes old while a tool runs.
  if (status === 'running' || status === 'stuck')
    return { words: soFar(now - from), title: `${exactTime(startedAt)} to now` }
  const ms = lastEventAt === null ? 0 : Date.parse(lastEventAt) - from
  if (lastEventAt === null || !(ms > 0))
    return { words: 'length unknown', title: `Its lines have one time alone: ${exactTime(startedAt)}` }
  const title = `${exactTime(startedAt)} to ${exactTime(lastEventAt)}`
  return { words: ms < 1_000 ? 'under 1 s' : lengthOf(ms), title }
}

/** Clocks of two hosts may differ: then a session began in the future. */
const soFar = (ms: number): string => (ms < 1_000 ? 'just begun' : `${lengthOf(ms)} so far`)
