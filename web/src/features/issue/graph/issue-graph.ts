import type { ListedIssue } from '../issue-query'

/** What an edge means: it blocks, it is a parent link, or it only relates. */
export type EdgeKind = 'blocks' | 'parent' | 'related'

export type GraphIssue = Pick<
  ListedIssue,
  'id' | 'title' | 'status' | 'priority' | 'issueType' | 'isBlocked' | 'closedAt' | 'dependencies'
>

/** `to` is blocked by `from`, is its child, or is related to it. */
export interface GraphEdge {
  from: string
  to: string
  type: string
  kind: EdgeKind
}

/** Issues with the edges between them. */
export interface IssueGraph {
  nodes: readonly GraphIssue[]
  edges: readonly GraphEdge[]
  /** Number of issues without an edge. */
  aloneCount: number
  /** Number of edges to issues that are not among the given ones. */
  outsideCount: number
}

/** Types of dependencies that block. */
const BLOCKING_TYPES = new Set(['blocks', 'conditional-blocks', 'waits-for'])

const kindOf = (type: string): EdgeKind =>
  BLOCKING_TYPES.has(type) ? 'blocks' : type === 'parent-child' ? 'parent' : 'related'

interface GraphOptions {
  /** Keeps only issues within `reach` steps of this one. */
  focus?: string
  reach: number
  withAlone: boolean
}

/** Builds the graph of the given issues. */
export function graphOf(issues: readonly GraphIssue[], { focus, reach, withAlone }: GraphOptions): IssueGraph {
  const ids = new Set<string>(issues.map(({ id }) => id))
  let outsideCount = 0
  const edges: GraphEdge[] = []
  for (const { id, dependencies } of issues)
    for (const { dependsOnId, type } of dependencies) {
      if (!ids.has(dependsOnId)) outsideCount++
      else if (dependsOnId !== id) edges.push({ from: dependsOnId, to: id, type, kind: kindOf(type) })
    }
  const near = neighbours(edges)
  const kept =
    focus !== undefined && ids.has(focus)
      ? within(focus, reach, near)
      : new Set([...ids].filter((id) => withAlone || near.has(id)))
  const nodes = issues.filter(({ id }) => kept.has(id))
  return {
    nodes,
    edges: edges.filter(({ from, to }) => kept.has(from) && kept.has(to)),
    aloneCount: [...ids].filter((id) => !near.has(id)).length,
    outsideCount,
  }
}

/** Neighbours by ID, along edges of any kind in both directions. */
export function neighbours(edges: readonly GraphEdge[]): Map<string, string[]> {
  const near = new Map<string, string[]>()
  const add = (from: string, to: string) => {
    const known = near.get(from)
    if (known === undefined) near.set(from, [to])
    else known.push(to)
  }
  for (const { from, to } of edges) {
    add(from, to)
    add(to, from)
  }
  return near
}

function within(start: string, reach: number, near: ReadonlyMap<string, string[]>): Set<string> {
  const found = new Set([start])
  let edge = [start]
  for (let step = 0; step < reach; step++) {
    edge = edge.flatMap((id) => near.get(id) ?? []).filter((id) => !found.has(id))
    for (const id of edge) found.add(id)
  }
  return found
}
