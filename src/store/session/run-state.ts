/** One rule for what became of a sub-agent and its runs, for all who read them. */

import type { EndStatus } from '../../domain/record/observation'
import type { SubagentStatus } from '../../domain/session/session'
import type { SessionSignals } from '../../domain/session/session-store'
import type { ShellState } from '../../domain/session/shell'
import { GONE } from '../../domain/subagent/subagent-run'
import { subagentStatus, TRANSCRIPT_END, transcriptEnd } from '../../domain/subagent/subagent-status'
import { type EndColumns, endOf } from './subagent-end'

/** Columns of a sub-agent and of the call that launched it. */
export interface StateColumns extends EndColumns {
  is_background: number | null
  final_at: number | null
  turn_at: number | null
  /** 1 = the call was answered with an error, 2 = by the CLI, since the session had ended before it was. */
  launch_failed: number | null
  launch_ended_at: number | null
  /** What its own process tells, of a shell; `null` = nobody looked, since its CLI reports it. See `SHELL_COLUMNS`. */
  shell_state: ShellState | null
  shell_at: number | null
  shell_process_id: number | null
}

/** Where something is, what says so, and when it ended in milliseconds. */
export interface State {
  status: SubagentStatus
  evidence: string
  at: number | null
}

/** Where a sub-agent is, by its own lines, its hooks, its launching call and its session. */
export function nodeState(row: StateColumns, session: SessionSignals): State & { startedAt: number | null } {
  const end = endOfNode(row)
  const state = subagentStatus(
    {
      lastStartedAt: end.startedAt,
      lastEventAt: row.last_event_at,
      endStatus: end.status,
      endAt: end.at,
      endEvidence: end.evidence,
      finalAt: row.final_at,
      turnAt: row.turn_at,
    },
    session,
  )
  return { ...(shellState(row, end) ?? lostWithProcess(state)), startedAt: end.startedAt }
}

/**
 * Where a shell is by its own process, as far as no line tells how it ended: it may outlive its CLI, and what the next CLI says of it
 * is a guess. `undefined` = that tells nothing.
 */
function shellState(row: StateColumns, end: ReturnType<typeof endOf>): State | undefined {
  const at = row.shell_at === null ? null : Number(row.shell_at)
  const isTold = end.status !== null && end.evidence !== GONE
  if (row.shell_state === 'stopped' && end.status !== 'completed') return { status: 'killed', evidence: STOPPED, at }
  if (isTold || row.shell_state === null) return undefined
  const pid = row.shell_process_id === null ? 'process' : `process ${row.shell_process_id}`
  if (row.shell_state === 'alive') return { status: 'running', evidence: `${pid} alive`, at: null }
  if (row.shell_state === 'ended') return { status: 'ended', evidence: `${pid} gone, nobody heard how it ended`, at }
  return { status: 'lost', evidence: 'process gone, no end seen', at: null }
}

/** Evidence of an end by a person's word. The CLI, where it lives, reports the same end in words of its own. */
const STOPPED = 'stopped with lode'

/**
 * An agent in the foreground whose call was answered with an error is over, though the answer does not name it: it failed, or the
 * CLI that goes on with its session has no answer of it, and nobody heard what its own transcript says.
 */
function endOfNode(row: StateColumns): ReturnType<typeof endOf> {
  const end = endOf(row)
  const lastWords = transcriptEnd({ finalAt: row.final_at, turnAt: row.turn_at, lastStartedAt: end.startedAt })
  if (end.evidence === GONE)
    return lastWords === null ? end : { ...end, status: 'completed', at: lastWords, evidence: TRANSCRIPT_END }
  const failed = Number(row.launch_failed ?? 0)
  const isToldHow = end.status !== null && end.evidence !== META_END
  if (isToldHow || failed === 0 || Number(row.is_background ?? 0) === 1) return end
  if (failed === 1) return { ...end, status: 'failed', at: row.launch_ended_at, evidence: 'answer of its call' }
  if (lastWords !== null) return { ...end, status: 'completed', at: lastWords, evidence: TRANSCRIPT_END }
  return { ...end, status: 'killed', at: row.launch_ended_at, evidence: UNANSWERED }
}

/** The CLI answered its call at a resume, in its place. */
const UNANSWERED = 'answer of its call: its session had ended'
/** It says that a run is over, neither when nor how. */
export const META_END = 'meta:finished'

/** Where a run is: its own end decides, then what its sub-agent tells, which is of the newest run alone. */
export function runState(
  run: { status: EndStatus | null; evidence: string; started_at: number | null; ended_at: number | null } | null,
  node: State,
  isNewest: boolean,
): State {
  if (isNewest && node.evidence === STOPPED) return node
  const isToldHow = (run?.evidence !== META_END && run?.evidence !== GONE) || !isNewest
  if (run?.status && isToldHow) return lostWithProcess({ status: run.status, evidence: run.evidence, at: run.ended_at })
  if (!isNewest) return { status: 'unknown', evidence: 'no end seen, and it was continued later', at: null }
  // A run of which only a start is known has no other sign.
  if (node.status === 'unknown' && run?.started_at != null)
    return { ...node, status: 'running', evidence: 'no end seen' }
  return node
}

/** Nobody stopped what went with its process, and nobody knows when it ended. */
const lostWithProcess = (state: State): State =>
  state.status === 'killed' && (state.evidence === GONE || state.evidence === UNANSWERED)
    ? { ...state, status: 'lost', at: null }
    : state

/** Whether a run that has no end had said its last words, for whoever knows that its session is over; milliseconds. */
export function lastWordsOf(row: {
  final_at: number | null
  turn_at: number | null
  started_at: number | null
  is_newest: number | boolean
}): number | null {
  if (!Number(row.is_newest)) return null
  const number = (value: number | null): number | null => (value === null ? null : Number(value))
  return transcriptEnd({
    finalAt: number(row.final_at),
    turnAt: number(row.turn_at),
    lastStartedAt: number(row.started_at),
  })
}

/** For a sub-agent `a`, for a query that asks where it is; see `StateColumns`. */
export const SHELL_COLUMNS = 'p.state as shell_state, p.at as shell_at, p.process_id as shell_process_id'
export const SHELL_JOIN = 'left join shell_processes p on p.session_id = a.session_id and p.native_id = a.native_id'
