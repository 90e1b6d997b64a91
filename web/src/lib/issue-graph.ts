import type { ListedIssue } from './issue-query'

/** What an edge means for work: it holds up, it says what is part of what, or it only relates. */
export type EdgeKind = 'blocks' | 'parent' | 'related'

export type GraphIssue = Pick<
  ListedIssue,
  'id' | 'title' | 'status' | 'priority' | 'issueType' | 'isBlocked' | 'closedAt' | 'dependencies'
>

/** `to` needs `from`, is a part of it, or is related to it. */
export interface GraphEdge {
  from: string
  to: string
  type: string
  kind: EdgeKind
}

export interface IssueGraph {
  nodes: readonly GraphIssue[]
  edges: readonly GraphEdge[]
  /** Issues without an edge that were left out. */
  aloneCount: number
  /** Edges that lead to issues which are not among these. */
  outsideCount: number
}

const HOLDING = new Set(['blocks', 'conditional-blocks', 'waits-for'])

const kindOf = (type: string): EdgeKind =>
  HOLDING.has(type) ? 'blocks' : type === 'parent-child' ? 'parent' : 'related'

interface GraphOptions {
  /** Only what is so many steps from this issue. */
  focus?: string
  reach: number
  withAlone: boolean
}

/** The issues with the edges between them. */
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

/** Who is one step away, along edges of any kind and either way. */
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
