import type { IssueId } from '../ids'
import type { FullIssue } from './issue'
import { childrenByParent } from './issue-edges'
import { BUILT_IN_STATUSES, type StatusCatalog } from './issue-status'

export interface EpicProgress {
  id: IssueId
  totalChildren: number
  closedChildren: number
  /** Not closed itself, has children, and all are closed. */
  isEligibleForClose: boolean
}

/** How far each epic is, by its direct children; in the issues' order. */
export function epicProgress(
  issues: readonly Pick<FullIssue, 'id' | 'issueType' | 'status' | 'dependencies'>[],
  statuses: StatusCatalog = BUILT_IN_STATUSES,
): EpicProgress[] {
  const children = childrenByParent(issues)
  return issues.flatMap(({ id, issueType, status }) => {
    if (issueType !== 'epic') return []
    const own = children.get(id) ?? []
    const closedChildren = own.filter((child) => statuses.isDone(child.status)).length
    const isEligibleForClose = !statuses.isDone(status) && own.length > 0 && closedChildren === own.length
    return [{ id, totalChildren: own.length, closedChildren, isEligibleForClose }]
  })
}
