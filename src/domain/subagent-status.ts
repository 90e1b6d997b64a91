import type { EndStatus } from './observation'
import type { SubagentStatus } from './session'
import type { SessionSignals } from './store'

/** What is known of a sub-agent's runs; times in milliseconds. It may have several runs under one id. */
export interface SubagentSignals {
  lastStartedAt: number | null
  lastEventAt: number | null
  endStatus: EndStatus | null
  /** When its last known end was; `null` = an end without a time. */
  endAt: number | null
  endEvidence: string | null
}

/**
 * Where a sub-agent is, and what says so. An end counts unless a later start is known: a run that was continued is running
 * again. One without an end is lost once its session is over: nothing is left that could end it.
 *
 * @param session  the signals of its session; see `isSessionOver`.
 */
export function subagentStatus(
  signals: SubagentSignals,
  session: SessionSignals,
): { status: SubagentStatus; evidence: string } {
  const { lastStartedAt, endStatus, endAt } = signals
  const isEnded = endStatus !== null && (endAt === null || lastStartedAt === null || endAt >= lastStartedAt)
  if (isEnded) return { status: endStatus, evidence: signals.endEvidence ?? 'end' }
  const over = isSessionOver(session)
  if (over !== undefined) return { status: 'lost', evidence: `${over}, no end seen` }
  if (lastStartedAt === null && signals.lastEventAt === null) return { status: 'unknown', evidence: 'no start seen' }
  return { status: 'running', evidence: 'no end seen' }
}

/** What says that nothing of the session runs any longer; `undefined` while something may. Looks at no clock. */
export function isSessionOver(session: SessionSignals): string | undefined {
  if (session.activity === 'ended') return session.activityEvidence ?? 'session ended'
  const lastSign = Math.max(session.lastEventAt ?? 0, session.fileGrewAt ?? 0)
  if (session.processState === 'gone' && (session.processAt ?? 0) >= lastSign) return 'process gone'
  return undefined
}
