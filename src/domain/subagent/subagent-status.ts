import type { EndStatus } from '../record/observation'
import type { SubagentStatus } from '../session/session'
import type { SessionSignals } from '../session/session-store'

/** What is known of a sub-agent's runs; times in milliseconds. It may have several runs under one id. */
export interface SubagentSignals {
  lastStartedAt: number | null
  lastEventAt: number | null
  endStatus: EndStatus | null
  /** When its last known end was; `null` = an end without a time. */
  endAt: number | null
  endEvidence: string | null
  /** When its transcript had the last words of a turn; `null` = nowhere. */
  finalAt: number | null
  /** When its transcript had a line after which the model goes on. */
  turnAt: number | null
}

/**
 * Where a sub-agent is, and what says so. An end counts unless a later start is known: a run that was continued is running
 * again. One without an end is lost once its session is over, as nothing is left that could end it, unless its own transcript
 * ends with its last words: then it had completed, and nobody heard of it.
 *
 * @param session  the signals of its session; see `isSessionOver`.
 */
export function subagentStatus(
  signals: SubagentSignals,
  session: SessionSignals,
): { status: SubagentStatus; evidence: string; at: number | null } {
  const { lastStartedAt, endStatus, endAt } = signals
  const isEnded = endStatus !== null && (endAt === null || lastStartedAt === null || endAt >= lastStartedAt)
  if (isEnded) return { status: endStatus, evidence: signals.endEvidence ?? 'end', at: endAt }
  const over = isSessionOver(session)
  if (over !== undefined) {
    const at = transcriptEnd(signals)
    if (at !== null) return { status: 'completed', evidence: TRANSCRIPT_END, at }
    return { status: 'lost', evidence: `${over}, no end seen`, at: null }
  }
  if (lastStartedAt === null && signals.lastEventAt === null)
    return { status: 'unknown', evidence: 'no start seen', at: null }
  return { status: 'running', evidence: 'no end seen', at: null }
}

/** What tells that a sub-agent had completed when its session was over, and no other source had its end. */
export const TRANSCRIPT_END = 'transcript:end'

/**
 * When a sub-agent's transcript ended with its last words; `null` = it does not end so. Counts only for one whose session
 * is over: a hook may send an agent on that has said its last words.
 */
export function transcriptEnd({
  finalAt,
  turnAt,
  lastStartedAt,
}: Pick<SubagentSignals, 'finalAt' | 'turnAt' | 'lastStartedAt'>): number | null {
  if (finalAt === null || (turnAt !== null && turnAt > finalAt)) return null
  return lastStartedAt === null || finalAt >= lastStartedAt ? finalAt : null
}

/** What says that nothing of the session runs any longer; `undefined` while something may. Looks at no clock. */
export function isSessionOver(session: SessionSignals): string | undefined {
  if (session.activity === 'ended') return session.activityEvidence ?? 'session ended'
  if (session.processState === 'gone' && !spokeSinceCheck(session)) return 'process gone'
  return undefined
}

/**
 * Whether anything was said after the last look at the process. When it was said counts, not when its files were read: the last lines of
 * a process are often read after it was seen gone.
 */
export const spokeSinceCheck = ({
  lastEventAt,
  activityAt,
  processAt,
}: Pick<SessionSignals, 'lastEventAt' | 'activityAt' | 'processAt'>): boolean =>
  Math.max(lastEventAt ?? 0, activityAt ?? 0) > (processAt ?? 0)
