import type { IssueId } from '../../domain/ids'
import { ISSUE_LIMITS } from '../../domain/issue/issue'
import type { StoredIssue } from '../../domain/issue/issue-store'
import { checkText } from './check-fields'
import { getIssue, type IssueUnit, onlyIssue, recordChange, saveIssue } from './issue-unit'

export interface Deletion {
  ids: IssueId[]
  dependents: IssueId[]
}

/** What would go: the issue, with `cascade` everything below it, and the edges of others to those. */
export async function planDeletion(unit: IssueUnit, issue: StoredIssue, cascade: boolean): Promise<Deletion> {
  const ids = new Set<IssueId>([issue.id])
  const dependents = new Set<IssueId>()
  for (const id of ids)
    for (const other of await unit.issues.dependents(unit.key, id)) {
      const found = await unit.issues.find(unit.key, other)
      const isChild = found?.dependencies.some((edge) => edge.dependsOnId === id && edge.type === 'parent-child')
      if (cascade && isChild === true) ids.add(other)
      else dependents.add(other)
    }
  return { ids: [...ids], dependents: [...dependents].filter((id) => !ids.has(id)) }
}

/** Leaves tombstones: no other copy of the file brings them back. */
export async function deleteIssues(unit: IssueUnit, { ids, dependents }: Deletion, reason: string): Promise<void> {
  const gone = new Set<string>(ids)
  const former: IssueId[] = []
  for (const id of dependents) {
    const issue = await getIssue(unit, id)
    const dependencies = issue.dependencies.filter(({ dependsOnId }) => !gone.has(dependsOnId))
    former.push(...(await saveIssue(unit, issue, { ...onlyIssue(issue), dependencies, updatedAt: unit.at })))
    await recordChange(unit, issue, 'dependency_removed', { old: { dependsOnId: ids } })
  }
  for (const id of ids) {
    const issue = await getIssue(unit, id)
    await unit.issues.removeClaim(issue.key)
    const deletion = {
      deleted_at: unit.at,
      deleted_by: unit.actor,
      delete_reason: checkText('reason', reason, ISSUE_LIMITS.reason),
      original_type: issue.issueType,
    }
    await recordChange(unit, issue, 'deleted', { new: { reason } }, 'issue.deleted')
    await saveIssue(
      unit,
      issue,
      { ...onlyIssue(issue), updatedAt: unit.at, extra: { ...issue.extra, ...deletion } },
      { isDeleted: true },
    )
  }
  await unit.issues.refreshBlocked(unit.key, [...ids, ...dependents, ...former])
}
