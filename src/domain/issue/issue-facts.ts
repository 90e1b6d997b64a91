import type { IssueId } from '../ids'
import type { FullIssue, StatusCategory } from './issue'
import { parentsOf } from './issue-edges'
import { hasFailed, isNeverReady } from './issue-ready'
import type { StatusCatalog } from './issue-status'
import { issueTimeMs } from './issue-time'

/** What is worked out of an issue once, when it is kept, so that lists and `ready` are look-ups along an index. */
export interface IssueFacts {
  category: StatusCategory | null
  /** It blocks nobody any more: done, or pinned. */
  isOver: boolean
  /** Its close reason reports failure: what `conditional-blocks` waits for. */
  hasFailed: boolean
  /** Never ready work by itself: pinned, ephemeral, or of a type that nobody works on. */
  isHidden: boolean
  /** By edges, else the one that the id names. */
  parents: IssueId[]
  /** Milliseconds; `null` = not set, or no time. */
  createdAt: number | null
  updatedAt: number | null
  closedAt: number | null
  dueAt: number | null
  deferUntil: number | null
}

export function issueFacts(issue: FullIssue, statuses: StatusCatalog): IssueFacts {
  const { extra } = issue
  return {
    category: statuses.categoryOf(issue.status),
    isOver: statuses.isDone(issue.status) || issue.status === 'pinned',
    hasFailed: hasFailed(issue.closeReason),
    isHidden: isNeverReady(issue.issueType) || extra.pinned === true || extra.ephemeral === true || extra.wisp === true,
    parents: parentsOf(issue),
    createdAt: issueTimeMs(issue.createdAt),
    updatedAt: issueTimeMs(issue.updatedAt),
    closedAt: issueTimeMs(issue.closedAt),
    dueAt: issueTimeMs(issue.dueAt),
    deferUntil: issueTimeMs(issue.deferUntil),
  }
}
