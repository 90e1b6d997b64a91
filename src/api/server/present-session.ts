import type { SessionId } from '../../domain/ids'
import type { Session } from '../../domain/session/session'
import { sessionStatus } from '../../domain/session/session-status'
import type { StoredSession } from '../../domain/session/session-store'

/** Sessions whose run waits for an answer, with the question's ID. */
export type Asking = ReadonlyMap<SessionId, string>
const NOBODY: Asking = new Map()

/**
 * A stored session as the API gives it: its status derived at `now` (milliseconds), keys and signals left inside.
 *
 * @param asking  default: none; then a run that waits for an answer is at work
 */
export function presentSession(session: StoredSession, now: number, asking = NOBODY): Session {
  const { key: _key, hostName: _recordedOn, processHost: _runsOn, signals: _signals, ...stored } = session
  return { ...stored, ...statusOf(session, now, asking) }
}

/** The status that the row shows, and by which a filter finds it. No line of a conversation tells that its run asked a person. */
export function statusOf({ id, signals }: StoredSession, now: number, asking: Asking) {
  const own = sessionStatus(signals, now)
  const question = asking.get(id)
  if (own.status !== 'running' || question === undefined) return own
  return { status: 'waiting' as const, statusEvidence: `question ${question} is open, ${own.statusEvidence}` }
}
