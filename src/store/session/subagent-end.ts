import type { EndStatus } from '../../domain/record/observation'

/** Columns of `subagents` that tell when its last run began and ended. */
export interface EndColumns {
  last_started_at: number | null
  last_event_at: number | null
  end_status: EndStatus | null
  end_at: number | null
  end_evidence: string | null
  hook_started_at: number | null
  hook_end_status: EndStatus | null
  hook_end_at: number | null
  hook_end_evidence: string | null
}

/**
 * The end of its last run. Lines decide; a hook's word counts while the lines have none: of a run that they don't show yet,
 * or of its end.
 */
export function endOf(row: EndColumns): {
  startedAt: number | null
  status: EndStatus | null
  at: number | null
  evidence: string | null
} {
  const { end_at, last_started_at, hook_started_at, hook_end_at } = row
  const isContinued = hook_started_at !== null && hook_started_at > Math.max(end_at ?? Infinity, row.last_event_at ?? 0)
  const startedAt = isContinued || last_started_at === null ? (hook_started_at ?? last_started_at) : last_started_at
  const counts = (at: number | null): boolean => at === null || startedAt === null || at >= startedAt
  if (row.end_status !== null && !isContinued && counts(end_at))
    return { startedAt, status: row.end_status, at: end_at, evidence: row.end_evidence }
  if (row.hook_end_status !== null && counts(hook_end_at))
    return { startedAt, status: row.hook_end_status, at: hook_end_at, evidence: row.hook_end_evidence }
  return { startedAt, status: null, at: null, evidence: null }
}
