import { AppError } from '../../domain/errors'
import { type IssueId, issueId } from '../../domain/ids'
import { type FullIssue, ISSUE_LIMITS, type IssueDependency } from '../../domain/issue/issue'
import { isBlockingType, isExternalTarget, normalEdgeType } from '../../domain/issue/issue-edges'
import { isIssueId } from '../../domain/issue/issue-id'
import type { StoredIssue } from '../../domain/issue/issue-store'
import { checkEdgeType, checkText } from './check-fields'
import type { NewDependency } from './issue-inputs'
import { type IssueUnit, onlyIssue, recordChange, saveIssue } from './issue-unit'

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
  if (to === issue.id) throw new AppError('invalid', `Issue ${issue.id} can't depend on itself.`)
  const existing = issue.dependencies.find((edge) => edge.dependsOnId === to)
  if (existing !== undefined)
    throw new AppError('conflict', `Issue ${issue.id} already has an edge to ${to}, of type ${existing.type}.`, {
      hint: 'To change its type, remove it first.',
      details: { type: existing.type },
    })
  if (!isExternalTarget(to)) {
    const target = isIssueId(to) ? await unit.issues.find(unit.key, to) : undefined
    if (target === undefined || target.isDeleted)
      throw new AppError('not_found', `There is no issue ${to.slice(0, 200)}.`, {
        hint: 'For something outside this tracker, use external:<project>:<capability>.',
      })
    if (isBlockingType(name) && (await unit.issues.needs(unit.key, to, issue.id)))
      throw new AppError('conflict', `Issue ${to} already depends on ${issue.id}: the two would wait for each other.`, {
        hint: `Run \`lode dep tree ${to}\` to see how.`,
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
    throw new AppError('invalid', 'The metadata is not valid JSON.')
  }
}

export async function addEdge(unit: IssueUnit, issue: StoredIssue, input: NewDependency): Promise<void> {
  await unit.issues.lock(unit.key)
  const edge = await newEdge(unit, issue, input)
  const after = { ...onlyIssue(issue), dependencies: [...issue.dependencies, edge], updatedAt: unit.at }
  await saveIssue(unit, issue, after)
  await unit.issues.refreshBlocked(unit.key, [issue.id])
  await recordChange(unit, issue, 'dependency_added', { new: { dependsOnId: edge.dependsOnId, type: edge.type } })
}

export async function removeEdge(unit: IssueUnit, issue: StoredIssue, to: IssueId): Promise<void> {
  const edge = issue.dependencies.find(({ dependsOnId }) => dependsOnId === to)
  if (edge === undefined)
    throw new AppError('not_found', `Issue ${issue.id} does not depend on ${to}.`, {
      hint:
        issue.dependencies.length === 0
          ? 'It depends on nothing.'
          : `It depends on ${issue.dependencies.map(({ dependsOnId }) => dependsOnId).join(', ')}.`,
    })
  const dependencies = issue.dependencies.filter((other) => other !== edge)
  await saveIssue(unit, issue, { ...onlyIssue(issue), dependencies, updatedAt: unit.at })
  await unit.issues.refreshBlocked(unit.key, [issue.id, to])
  await recordChange(unit, issue, 'dependency_removed', { old: { dependsOnId: to, type: edge.type } })
}
