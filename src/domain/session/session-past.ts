import type { SessionStatus } from './session'
import { bareStatus } from './session-status'
import type { SessionSignals } from './session-store'

/** What the lines of a session show of a moment. Times in milliseconds. */
export interface PastSigns {
  /** As they are now. */
  signals: SessionSignals
  /** The newest line of any of its agents up to the moment. */
  heardAt: number | null
  /** The newest line of the main thread up to the moment. */
  mainAt: number | null
  /** What the next line of the main thread is; `null` = none came. */
  next: 'turn' | 'work' | null
  /** A call was open by which the agent asks a person, or that a person had to allow. */
  isAsking: boolean
}

/**
 * Where a session was at a moment, by the rule that decides it now. What agents and hooks said last is kept, and what they said before is
 * not, so for a moment before that the lines tell it: within a turn the session worked. A process that was seen later lived then.
 *
 * @param at  milliseconds
 */
export const statusAt = (signs: PastSigns, at: number): SessionStatus => bareStatus(signalsAt(signs, at), at)

function signalsAt({ signals, heardAt, mainAt, next, isAsking }: PastSigns, at: number): SessionSignals {
  const { endedAt, fileGrewAt, processAt } = signals
  const own = {
    ...signals,
    lastEventAt: heardAt,
    endedAt: endedAt !== null && endedAt <= at ? endedAt : null,
    fileGrewAt: fileGrewAt !== null && fileGrewAt <= at ? fileGrewAt : null,
    ...(processAt !== null && processAt > at && { processState: 'alive' as const, processAt: at }),
  }
  const isLast = next === null && (signals.activityAt === null || signals.activityAt <= at)
  if (isLast) return isAsking && own.activity === 'working' ? { ...own, activity: 'waiting' } : own
  // The process that is known is the newest: of an earlier one nobody knows.
  const process = next === null ? {} : { processState: null, processAt: null, processId: null }
  const activity = next === 'turn' ? 'idle' : isAsking ? 'waiting' : 'working'
  return { ...own, ...process, activity, activityAt: mainAt, activityEvidence: 'lines' }
}
