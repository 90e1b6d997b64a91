import type { Session } from '../../domain/session/session'
import { sessionStatus } from '../../domain/session/session-status'
import type { StoredSession } from '../../domain/session/session-store'

/** A stored session as the API gives it: its status derived at `now` (milliseconds), keys and signals left inside. */
export function presentSession(session: StoredSession, now: number): Session {
  const { key: _key, hostName: _recordedOn, processHost: _runsOn, signals, ...stored } = session
  return { ...stored, ...sessionStatus(signals, now) }
}
