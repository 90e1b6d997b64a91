import type { IssueId } from '../ids'
import { ownValue } from '../own-value'
import { BLOCKING_TYPES, type IssueDependency } from './issue'
import { parentIdOf } from './issue-id'

/** What files in the wild write for it. Read as the right one; a line that is written again keeps its own spelling. */
const SPELLINGS: Readonly<Record<string, string>> = {
  parent_child: 'parent-child',
  parentchild: 'parent-child',
  child: 'parent-child',
  'child-of': 'parent-child',
  'blocked-by': 'blocks',
  blocked_by: 'blocks',
  'depends-on': 'blocks',
  depends_on: 'blocks',
  conditional_blocks: 'conditional-blocks',
  waits_for: 'waits-for',
  discovered_from: 'discovered-from',
  relates_to: 'relates-to',
}

/**
 * The type of an edge in the one spelling that rules are written for; other types are taken as they are.
 *
 * `child` says that the issue is one, as all edges speak of the issue that they stand in; where the ids tell the opposite
 * (`x` is said to be a child of `x.1`) it is left alone.
 */
export function normalEdgeType(type: string, from: string, to: string): string {
  const normal = ownValue(SPELLINGS, type.toLowerCase()) ?? type
  return normal === 'parent-child' && type !== normal && parentIdOf(to) === from ? type : normal
}

export type BlockingType = (typeof BLOCKING_TYPES)[number]

/** Whether an edge of the type can keep an issue from being ready. */
export function isBlockingType(type: string): type is BlockingType {
  return BLOCKING_TYPES.some((one) => one === type)
}

/** `external:<project>:<capability>`: something outside of this tracker. */
export function isExternalTarget(id: string): boolean {
  return id.startsWith('external:')
}

/** What the graph functions need of an issue. */
export interface IssueNode {
  id: IssueId
  dependencies: readonly Pick<IssueDependency, 'dependsOnId' | 'type'>[]
}

/** The parents by edges; where there is none, the one that the id names. Several are possible: files have such issues. */
export function parentsOf(issue: IssueNode): IssueId[] {
  const parents = issue.dependencies.flatMap(({ type, dependsOnId }) => (type === 'parent-child' ? [dependsOnId] : []))
  const byId = parentIdOf(issue.id)
  return parents.length > 0 || byId === null ? parents : [byId]
}

/** The one that lists show. */
export function parentOf(issue: IssueNode): IssueId | null {
  return parentsOf(issue)[0] ?? null
}

/** Children by parent, of those whose parent has any; in the order given. */
export function childrenByParent<T extends IssueNode>(issues: Iterable<T>): Map<IssueId, T[]> {
  const children = new Map<IssueId, T[]>()
  for (const issue of issues) {
    for (const parent of parentsOf(issue)) {
      const known = children.get(parent)
      if (known === undefined) children.set(parent, [issue])
      else known.push(issue)
    }
  }
  return children
}

/** Edges to issues that are not there; targets outside of the tracker are none of them. */
export function danglingEdges(
  issues: readonly IssueNode[],
): { issueId: IssueId; dependsOnId: IssueId; type: string }[] {
  const ids = new Set(issues.map(({ id }) => id))
  return issues.flatMap(({ id, dependencies }) =>
    dependencies.flatMap(({ dependsOnId, type }) =>
      ids.has(dependsOnId) || isExternalTarget(dependsOnId) ? [] : [{ issueId: id, dependsOnId, type }],
    ),
  )
}
