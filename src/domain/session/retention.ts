import type { SessionId } from '../ids'
import type { IssueLinkSource } from './session-issue'

/**
 * Why an old session is not forgotten by age:
 *
 * - `process`  its CLI was alive when it was last looked at
 * - `task`     a task that is not over goes on in it, or is to begin with what it knows
 * - `issue`    it is linked to an issue that is open
 */
export const HOLD_REASONS = ['process', 'task', 'issue'] as const
export type HoldReason = (typeof HOLD_REASONS)[number]

/** A session whose last event is long ago. */
export interface OldSession {
  id: SessionId
  title: string | null
  /** Milliseconds since the epoch. */
  lastEventAt: number
  /** What its journals hold, before compression. */
  bytes: number
  /** `null` = it goes. */
  heldBy: HoldReason | null
}

export interface RetentionReads {
  /**
   * Sessions whose last event is before this, oldest first; those without any event are not among them.
   *
   * @param before    milliseconds since the epoch
   * @param linkFrom  what links sessions to issues
   */
  oldSessions(before: number, linkFrom: readonly IssueLinkSource[]): Promise<OldSession[]>
}
