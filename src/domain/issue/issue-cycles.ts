import type { IssueId } from '../ids'
import { type IssueNode, isBlockingType } from './issue-edges'

/**
 * Circles over all edges that block, parents included: in one, nobody can ever begin. A parent that depends on its own child is
 * one, since a blocked parent blocks its children.
 */
type Next = (id: IssueId) => readonly IssueId[]

/**
 * Whether `issueId` needing `dependsOnId` would close a circle.
 *
 * @param next  what an issue depends on by edges that block
 * @returns the circle, `issueId` first and last; `null` = there is none.
 */
export function circleOf(from: IssueId, to: IssueId, next: Next): IssueId[] | null {
  if (from === to) return [from, from]
  const cameFrom = new Map<IssueId, IssueId>([[to, from]])
  const queue = [to]
  for (const id of queue) {
    for (const target of next(id)) {
      if (cameFrom.has(target)) continue
      cameFrom.set(target, id)
      if (target === from) return pathTo(from, cameFrom)
      queue.push(target)
    }
  }
  return null
}

function pathTo(start: IssueId, cameFrom: ReadonlyMap<IssueId, IssueId>): IssueId[] {
  const path = [start]
  let id = cameFrom.get(start)
  while (id !== undefined && id !== start) {
    path.push(id)
    id = cameFrom.get(id)
  }
  path.push(start)
  return path.reverse()
}

/** Targets by issue, of edges that block. */
export function blockingTargets(issues: Iterable<IssueNode>): Map<IssueId, IssueId[]> {
  const targets = new Map<IssueId, IssueId[]>()
  for (const { id, dependencies } of issues) {
    const needed = dependencies.flatMap(({ type, dependsOnId }) => (isBlockingType(type) ? [dependsOnId] : []))
    if (needed.length > 0) targets.set(id, needed)
  }
  return targets
}

/**
 * One circle for each group of issues that need one another, first and last the same, the shortest from the group's first issue
 * by id; in order of id.
 */
export function issueCycles(issues: Iterable<IssueNode>): IssueId[][] {
  const targets = blockingTargets(issues)
  const next: Next = (id) => targets.get(id) ?? []
  const circles = knots(targets, next).map((knot) => {
    const members = new Set(knot)
    const [first] = knot.sort()
    const inside: Next = (id) => next(id).filter((target) => members.has(target))
    const all = first === undefined ? [] : inside(first).map((target) => circleOf(first, target, inside) ?? [])
    return all.sort((a, b) => a.length - b.length)[0] ?? []
  })
  return circles.sort((a, b) => ((a[0] ?? '') < (b[0] ?? '') ? -1 : 1))
}

/** Groups in which each reaches each (Tarjan's algorithm, without recursion: chains of thousands are real). */
function knots(targets: ReadonlyMap<IssueId, IssueId[]>, next: Next): IssueId[][] {
  const order = new Map<IssueId, number>()
  const lowest = new Map<IssueId, number>()
  const open: IssueId[] = []
  const isOpen = new Set<IssueId>()
  const found: IssueId[][] = []
  const enter = (id: IssueId) => {
    order.set(id, order.size)
    lowest.set(id, order.size - 1)
    open.push(id)
    isOpen.add(id)
    return { id, rest: next(id)[Symbol.iterator]() }
  }
  const sink = (id: IssueId, to: number) => lowest.set(id, Math.min(lowest.get(id) ?? to, to))

  for (const root of targets.keys()) {
    if (order.has(root)) continue
    const walk = [enter(root)]
    for (let top = walk.at(-1); top !== undefined; top = walk.at(-1)) {
      const step = top.rest.next()
      if (!step.done) {
        const seen = order.get(step.value)
        if (seen === undefined) walk.push(enter(step.value))
        else if (isOpen.has(step.value)) sink(top.id, seen)
        continue
      }
      walk.pop()
      const low = lowest.get(top.id) ?? 0
      const above = walk.at(-1)
      if (above !== undefined) sink(above.id, low)
      if (low !== order.get(top.id)) continue
      const group = open.splice(open.lastIndexOf(top.id))
      for (const id of group) isOpen.delete(id)
      if (group.length > 1 || next(top.id).includes(top.id)) found.push(group)
    }
  }
  return found
}
