/** What the manifests of background work say, and when. Pure: files and database are elsewhere. */
import type { ManifestLine, ManifestStatus, UntoldRun } from '../../domain/recall/manifest'
import { GONE } from '../../domain/subagent/subagent-run'
import { isSessionOver } from '../../domain/subagent/subagent-status'

/** Characters of texts in a line. */
const PREVIEW = 200
/** Characters of ids and paths in a line: what is longer is no agent's. */
const FIELD = 4_096
/** A claim that is older was left by a process that died with it. */
const CLAIM_MS = 10_000

/**
 * Reports on a run are claimed before they are written: `completed@1763760000000` is a process at work since then. What the process
 * left undone is done by the next one, which looks for the line first.
 */
export const claimOf = (status: ManifestStatus, now: number): string => `${status}@${now}`

/** Whether another process writes of this run right now. */
export function isClaimed(told: string | null, now: number): boolean {
  const at = told?.split('@')[1]
  if (at === undefined) return false
  const age = now - Number(at)
  // A clock that went back must not keep a run for ever.
  return age >= 0 && age < CLAIM_MS
}

/** The states of a run to report, in order; the last one is where it is now. Empty = nothing new. */
export function dueStates(run: UntoldRun): ManifestStatus[] {
  const [said, claim] = run.told?.split('@') ?? [null]
  const now = statusOf(run)
  // A claim says what was being written, not that it was: who writes knows which lines are there.
  if (said === null || claim !== undefined) return now === 'launched' ? ['launched'] : ['launched', now]
  return said === now || now === 'launched' ? [] : [now]
}

function statusOf({ status, evidence, shell, signals, lastWordsAt }: UntoldRun): ManifestStatus {
  if (shell?.state === 'stopped' && status !== 'completed') return 'killed'
  if (shell?.state === 'alive' && (status === null || evidence === GONE)) return 'launched'
  if (shell?.state === 'ended' && (status === null || evidence === GONE)) return 'ended'
  if (status !== null) return status
  if (isSessionOver(signals) === undefined) return 'launched'
  return lastWordsAt === null ? 'lost' : 'completed'
}

/** The line that reports a state. @param now  stands in where no source has a time */
export function manifestLine(run: UntoldRun, status: ManifestStatus, now: number): ManifestLine {
  const byProcess = status === 'killed' || status === 'ended' ? (run.shell?.at ?? null) : null
  const endedAt = iso(run.endedAt ?? (status === 'completed' ? run.lastWordsAt : byProcess))
  const at = status === 'launched' ? iso(run.startedAt) : status === 'lost' ? null : endedAt
  return {
    timestamp: at ?? new Date(now).toISOString(),
    agent_id: cut(run.subagentId, FIELD),
    subagent_type: run.kind === 'agent' ? (cutOrNull(run.type, PREVIEW) ?? 'agent') : run.kind,
    description: cutOrNull(run.description, PREVIEW),
    prompt_preview: cutOrNull(run.prompt, PREVIEW),
    output_file: cutOrNull(run.outputFile, FIELD),
    session_id: cut(run.sessionId, FIELD),
    cwd: cutOrNull(run.cwd, FIELD),
    status,
    tool_use_id: cutOrNull(run.toolUseId, FIELD),
    host: cut(run.host.hostname, PREVIEW),
    ...(status !== 'launched' && { ended_at: endedAt, result_preview: cutOrNull(run.result, PREVIEW) }),
  }
}

/** What makes two lines say the same. */
export const lineKey = (line: Pick<ManifestLine, 'session_id' | 'agent_id' | 'tool_use_id' | 'status'>): string =>
  JSON.stringify([line.session_id, line.agent_id, line.tool_use_id, line.status])

/** The key of a line as it stands in a file; `null` = no line of ours. */
export function keyOfText(text: string): string | null {
  try {
    const line = JSON.parse(text) as Partial<ManifestLine> | null
    const { session_id, agent_id, tool_use_id, status } = line ?? {}
    if (typeof session_id !== 'string' || typeof agent_id !== 'string' || status === undefined) return null
    return lineKey({ session_id, agent_id, tool_use_id: tool_use_id ?? null, status })
  } catch {
    return null
  }
}

function iso(at: number | null): string | null {
  if (at === null) return null
  const date = new Date(at)
  // A hostile file may name any time.
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}

/** Never half of a surrogate pair. */
function cut(text: string, limit: number): string {
  const kept = text.length <= limit ? text : text.slice(0, limit)
  return kept.isWellFormed() ? kept : kept.slice(0, -1).toWellFormed()
}

const cutOrNull = (text: string | null, limit: number): string | null => (text === null ? null : cut(text, limit))
