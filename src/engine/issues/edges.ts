import { AppError } from '../../domain/errors'
import { type IssueId, issueId } from '../../domain/ids'
import { type FullIssue, ISSUE_LIMITS, type IssueDependency } from '../../domain/issue/issue'
import { isBlockingType, isExternalTarget, normalEdgeType } from '../../domain/issue/issue-edges'
import { isIssueId } from '../../domain/issue/issue-id'
import type { StoredIssue } from '../../domain/issue/issue-store'
import { checkEdgeType, checkText } from './check-fields'
import type { NewDependency } from './issue-inputs'
import { type IssueUnit, onlyIssue, saveIssue, tell } from './issue-unit'

/**
 * A new edge of `issue`, checked.
 *
 * @param isNew  the issue is not there yet: nothing can need it over other edges than those of `dependencies`
 * @throws `invalid` an edge to itself, bad metadata · `not_found` no such target · `conflict` a circle, or an edge to it already
 */
export async function newEdge(
  unit: IssueUnit,
  issue: Pick<FullIssue, 'id' | 'dependencies'>,
  { dependsOnId, type = 'blocks', metadata = '{}' }: NewDependency,
): Promise<IssueDependency> {
  const to = issueId(dependsOnId)
  const name = normalEdgeType(checkEdgeType(type), issue.id, to)
  if (to === issue.id) throw new AppError('invalid', `${issue.id} can not depend on itself`)
  const there = issue.dependencies.find((edge) => edge.dependsOnId === to)
  if (there !== undefined)
    throw new AppError('conflict', `${issue.id} has an edge to ${to} already, of type ${there.type}`, {
      hint: 'Remove it first to give it another type.',
      details: { type: there.type },
    })
  if (!isExternalTarget(to)) {
    const target = isIssueId(to) ? await unit.issues.find(unit.key, to) : undefined
    if (target === undefined || target.isDeleted)
      throw new AppError('not_found', `there is no issue ${to.slice(0, 200)}`, {
        hint: 'For something outside of this tracker write external:<project>:<capability>.',
      })
    if (isBlockingType(name) && (await unit.issues.needs(unit.key, to, issue.id)))
      throw new AppError('conflict', `${to} needs ${issue.id} already: the two would wait for each other`, {
        hint: `See how with \`lode dep tree ${to}\`.`,
        details: { from: issue.id, to, type: name },
      })
  }
  checkMetadata(metadata)
  return {
    issueId: issue.id,
    dependsOnId: to,
    type: name,
    createdAt: unit.at,
    createdBy: unit.actor,
    metadata,
    threadId: null,
  }
}

function checkMetadata(metadata: string): void {
  checkText('metadata', metadata, ISSUE_LIMITS.metadata)
  try {
    JSON.parse(metadata)
  } catch {
    throw new AppError('invalid', 'metadata is no JSON')
  }
}

export async function addEdge(unit: IssueUnit, issue: StoredIssue, input: NewDependency): Promise<void> {
  await unit.issues.lock(unit.key)
  const edge = await newEdge(unit, issue, input)
  const after = { ...onlyIssue(issue), dependencies: [...issue.dependencies, edge], updatedAt: unit.at }
  await saveIssue(unit, issue, after)
  await unit.issues.refreshBlocked(unit.key, [issue.id])
  await tell(unit, issue, 'dependency_added', { new: { dependsOnId: edge.dependsOnId, type: edge.type } })
}

export async function removeEdge(unit: IssueUnit, issue: StoredIssue, to: IssueId): Promise<void> {
  const edge = issue.dependencies.find(({ dependsOnId }) => dependsOnId === to)
  if (edge === undefined)
    throw new AppError('not_found', `${issue.id} does not depend on ${to}`, {
      hint:
        issue.dependencies.length === 0
          ? 'It depends on nothing.'
          : `It depends on ${issue.dependencies.map(({ dependsOnId }) => dependsOnId).join(', ')}.`,
    })
  const dependencies = issue.dependencies.filter((other) => other !== edge)
  await saveIssue(unit, issue, { ...onlyIssue(issue), dependencies, updatedAt: unit.at })
  await unit.issues.refreshBlocked(unit.key, [issue.id, to])
  await tell(unit, issue, 'dependency_removed', { old: { dependsOnId: to, type: edge.type } })
}
