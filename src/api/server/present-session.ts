import type { Session } from '../../domain/session'
import { sessionStatus } from '../../domain/session-status'
import type { StoredSession } from '../../domain/store'

/** A stored session as the API gives it: its status derived at `now` (milliseconds), keys and signals left inside. */
export function presentSession(session: StoredSession, now: number): Session {
  const { key: _key, hostName: _recordedOn, processHost: _runsOn, signals, ...stored } = session
  return { ...stored, ...sessionStatus(signals, now) }
}
