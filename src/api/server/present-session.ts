import type { Session } from '../../domain/session'
import { sessionStatus } from '../../domain/session-status'
import type { StoredSession } from '../../domain/store'

/** A stored session as the API gives it: its status derived at `now` (milliseconds), keys and signals left inside. */
export function presentSession({ key: _key, signals, ...stored }: StoredSession, now: number): Session {
  return { ...stored, ...sessionStatus(signals, now) }
}
