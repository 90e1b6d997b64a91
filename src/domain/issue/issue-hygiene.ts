import type { FullIssue } from './issue'
import { BUILT_IN_STATUSES, type StatusCatalog } from './issue-status'
import { compareIssueTimes, issueTimeMs } from './issue-time'

/** Sections that a description of the type should have, as headings or bold lines. */
const SECTIONS: Readonly<Record<string, readonly string[]>> = {
  bug: ['Steps to Reproduce', 'Acceptance Criteria'],
  task: ['Acceptance Criteria'],
  feature: ['Acceptance Criteria'],
  story: ['Acceptance Criteria'],
  epic: ['Success Criteria'],
}

/** The sections that an issue of its type should have and has not; criteria may stand in the field of their own. */
export function missingSections(issue: Pick<FullIssue, 'issueType' | 'description' | 'acceptanceCriteria'>): string[] {
  const text = issue.description.toLowerCase()
  const hasCriteria = issue.acceptanceCriteria.trim() !== ''
  return (SECTIONS[issue.issueType] ?? []).filter((section) => {
    if (section.endsWith('Criteria') && hasCriteria) return false
    return !text.includes(section.toLowerCase())
  })
}

/**
 * Issues that are not done and that nobody changed for `days`, the longest untouched first. Deferred and pinned ones are left out:
 * they lie still on purpose.
 */
export function staleIssues<T extends Pick<FullIssue, 'status' | 'updatedAt' | 'extra'>>(
  issues: readonly T[],
  { days, nowMs, statuses = BUILT_IN_STATUSES }: { days: number; nowMs: number; statuses?: StatusCatalog },
): T[] {
  const limit = nowMs - days * 86_400_000
  return issues
    .filter(({ status, updatedAt, extra }) => {
      if (statuses.isDone(status) || statuses.categoryOf(status) === 'frozen' || extra.ephemeral === true) return false
      const at = issueTimeMs(updatedAt)
      return at !== null && at < limit
    })
    .sort((a, b) => compareIssueTimes(a.updatedAt, b.updatedAt))
}
