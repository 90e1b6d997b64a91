import type { SessionStatus, ShownSessionStatus } from '../session/session'
import { bareStatus } from '../session/session-status'
import type { SessionSignals } from '../session/session-store'
import type { ShownTaskStatus, TaskStatus } from '../task/task'

/** What statuses are derived by, beside what is recorded. */
export interface StatusSettings {
  /** Silence in the middle of a turn after which a session counts as stuck, in milliseconds. */
  stuckAfterMs: number
  /** Tools by which an agent asks a person. */
  askingTools: ReadonlySet<string>
}

/** What is known of what runs in a session. */
export interface OpenWork {
  /** Names of the calls without an answer. */
  openCalls: readonly string[]
  /** Sub-agents, shells and monitors that run. */
  runningWork: number
}

/** Whether a session's background work decides if it is stuck, so that the caller must load it. @param heardAt  from `heardOf` */
export const mayBeStuck = (
  status: SessionStatus,
  heardAt: number | null,
  now: number,
  { stuckAfterMs }: StatusSettings,
): boolean => status === 'running' && now - (heardAt ?? 0) >= stuckAfterMs

/**
 * What a session shows as: the one word for rows, filters and counts. `waiting` while its run has a question open, `stuck` when it
 * works, was silent for long, has asked nobody and has nothing in its background; else as `session-status.ts` decides.
 *
 * @param work  `undefined` where `mayBeStuck` says that it need not be looked at
 */
export function shownSession(
  status: SessionStatus,
  hasQuestion: boolean,
  work: OpenWork | undefined,
  { askingTools }: StatusSettings,
): ShownSessionStatus {
  if (hasQuestion && isAlive(status)) return 'waiting'
  if (work === undefined || work.runningWork > 0) return status
  return work.openCalls.some((name) => askingTools.has(name)) ? status : 'stuck'
}

/** Whether a session is not over. */
export const isAlive = (status: ShownSessionStatus): boolean => status !== 'ended' && status !== 'lost'

/** What a task shows as, but for a standing offer: a run that asked a person and has no answer yet waits. */
export const shownWork = (status: TaskStatus, hasQuestion: boolean): TaskStatus | 'waiting' =>
  hasQuestion && status === 'in_progress' ? 'waiting' : status

/** What something at work shows as: a task with a question waits, whatever its session says. */
export const runningStatus = (
  taskStatus: ShownTaskStatus | null,
  sessionStatus: ShownSessionStatus | null,
): ShownSessionStatus | ShownTaskStatus =>
  taskStatus === 'waiting' ? taskStatus : (sessionStatus ?? taskStatus ?? 'running')

/** When a session said or wrote something last, by its own clock, but never later than now; `null` = never. */
export function lastActivityAt({ activityAt, lastEventAt }: SessionSignals, now: number): number | null {
  const at = Math.max(activityAt ?? 0, lastEventAt ?? 0)
  return at <= 0 ? null : Math.min(at, now)
}

/** The signals as they count for agents in the session: one that is over by its silence is over for them too. */
export const signalsAt = (signals: SessionSignals, now: number): SessionSignals =>
  isAlive(bareStatus(signals, now)) || signals.activity === 'ended'
    ? signals
    : { ...signals, activity: 'ended', activityEvidence: 'session silent' }
