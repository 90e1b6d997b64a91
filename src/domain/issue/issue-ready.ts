import type { IssueId } from '../ids'
import type { FullIssue } from './issue'
import { childrenByParent, isExternalTarget, parentsOf } from './issue-edges'
import { BUILT_IN_STATUSES, type StatusCatalog } from './issue-status'
import { compareIssueTimes, issueTimeMs } from './issue-time'

/** What readiness depends on. */
export type ReadinessIssue = Pick<
  FullIssue,
  'id' | 'status' | 'priority' | 'issueType' | 'createdAt' | 'closeReason' | 'deferUntil' | 'dependencies' | 'extra'
>

export interface ReadinessOptions {
  /** Milliseconds since the epoch. */
  nowMs: number
  /** Default: the built-in ones. */
  statuses?: StatusCatalog
  /**
   * `documented` (default): what beads' documents say. `bd`: what the program does: things outside of the tracker don't block,
   * a conditional edge is like any other, only `open` is ready, and children are those with an edge.
   */
  rule?: 'documented' | 'bd'
  /** Issues that somebody holds now. */
  claimed?: ReadonlySet<IssueId>
}

/** Why an issue is not ready. */
export type NotReady =
  | { kind: 'status'; status: string }
  | { kind: 'type'; issueType: string }
  | { kind: 'pinned' | 'ephemeral' | 'claimed' }
  | { kind: 'deferred'; until: string }
  | { kind: 'parent-deferred'; parentId: IssueId; until: string }
  | { kind: 'blocked-by'; by: IssueId; status: string; type: 'blocks' | 'conditional-blocks' }
  /** It runs only when the other has failed, and that one ended well. */
  | { kind: 'condition-unmet'; by: IssueId }
  | { kind: 'external'; by: IssueId }
  | { kind: 'waits-for'; spawner: IssueId; children: IssueId[] }
  | { kind: 'parent-blocked'; parentId: IssueId }

/** Machinery of orchestrators, and what is read rather than done. */
const NEVER_READY: ReadonlySet<string> = new Set([
  'merge-request',
  'gate',
  'molecule',
  'message',
  'agent',
  'role',
  'rig',
])
const FAILED = /failed|rejected|wontfix|won't fix|cancell?ed|abandoned|blocked|error|timeout|aborted/i

/** Whether issues of the type are never work to pick up. */
export const isNeverReady = (issueType: string): boolean => NEVER_READY.has(issueType)

/** Whether a close reason reports failure: what sets a `conditional-blocks` edge free. */
export const hasFailed = (closeReason: string | null): boolean => FAILED.test(closeReason ?? '')

export interface Readiness<T extends ReadinessIssue = ReadinessIssue> {
  /** The ready ones: by priority, newest first, then by id. */
  ready(): T[]
  isReady(id: IssueId): boolean
  /** Held up by an edge of its own or of a parent's, whatever its status is. */
  isBlocked(id: IssueId): boolean
  /** The issues that hold it up by edges of its own, in the edges' order. */
  blockers(id: IssueId): IssueId[]
  /** Every reason why it is not ready; none = it is. Empty for an id that is not there. */
  explain(id: IssueId): NotReady[]
}

/**
 * Works out for all issues at once what is ready: active, not deferred, claimed, pinned or ephemeral, and no open blocker. A blocked
 * parent blocks its children at any depth, an open one does not. Edges to issues that are not there block nobody.
 */
export function readinessOf<T extends ReadinessIssue>(issues: readonly T[], options: ReadinessOptions): Readiness<T> {
  const { nowMs, statuses = BUILT_IN_STATUSES, rule = 'documented', claimed } = options
  const byId = new Map(issues.map((issue) => [issue.id, issue]))
  const children = rule === 'bd' ? childrenByEdge(issues) : childrenByParent(issues)
  const parents = (issue: T) => (rule === 'bd' ? parentEdges(issue) : parentsOf(issue))
  const isOver = (issue: ReadinessIssue) => statuses.isDone(issue.status) || issue.status === 'pinned'

  const ownReasons = (issue: T): NotReady[] =>
    issue.dependencies.flatMap(({ type, dependsOnId, metadata }): NotReady[] => {
      if (type === 'waits-for') return waiting(dependsOnId, metadata)
      if (type !== 'blocks' && type !== 'conditional-blocks') return []
      if (isExternalTarget(dependsOnId)) return rule === 'bd' ? [] : [{ kind: 'external', by: dependsOnId }]
      const by = byId.get(dependsOnId)
      if (by === undefined) return []
      if (!isOver(by)) return [{ kind: 'blocked-by', by: by.id, status: by.status, type }]
      const isMet = rule === 'bd' || type === 'blocks' || hasFailed(by.closeReason)
      return isMet ? [] : [{ kind: 'condition-unmet', by: by.id }]
    })

  const waiting = (spawner: IssueId, metadata: string): NotReady[] => {
    const all = children.get(spawner) ?? []
    const open = all.filter((child) => !isOver(child))
    const isFree = open.length === 0 || (open.length < all.length && isAnyGate(metadata))
    return isFree ? [] : [{ kind: 'waits-for', spawner, children: open.map(({ id }) => id) }]
  }

  const blocked = new Set<IssueId>()
  const queue: T[] = []
  for (const issue of issues) {
    if (isOver(issue) || ownReasons(issue).length === 0) continue
    blocked.add(issue.id)
    queue.push(issue)
  }
  for (const parent of queue) {
    for (const child of children.get(parent.id) ?? []) {
      if (blocked.has(child.id) || isOver(child)) continue
      blocked.add(child.id)
      queue.push(child)
    }
  }

  const isFuture = (time: string | null) => (issueTimeMs(time) ?? 0) > nowMs
  const isActive = (status: string) => (rule === 'bd' ? status === 'open' : statuses.categoryOf(status) === 'active')

  const explain = (issue: T): NotReady[] => {
    const why: NotReady[] = []
    if (!isActive(issue.status)) why.push({ kind: 'status', status: issue.status })
    if (isNeverReady(issue.issueType)) why.push({ kind: 'type', issueType: issue.issueType })
    if (issue.extra.pinned === true) why.push({ kind: 'pinned' })
    if (issue.extra.ephemeral === true || issue.extra.wisp === true) why.push({ kind: 'ephemeral' })
    if (claimed?.has(issue.id)) why.push({ kind: 'claimed' })
    if (isFuture(issue.deferUntil)) why.push({ kind: 'deferred', until: issue.deferUntil ?? '' })
    why.push(...ownReasons(issue))
    for (const parentId of parents(issue)) {
      const until = byId.get(parentId)?.deferUntil ?? null
      if (isFuture(until)) why.push({ kind: 'parent-deferred', parentId, until: until ?? '' })
      if (blocked.has(parentId)) why.push({ kind: 'parent-blocked', parentId })
    }
    return why
  }
  const explainId = (id: IssueId): NotReady[] => {
    const issue = byId.get(id)
    return issue === undefined ? [] : explain(issue)
  }
  return {
    ready: () => issues.filter((issue) => explain(issue).length === 0).sort(compareReady),
    isReady: (id) => byId.has(id) && explainId(id).length === 0,
    isBlocked: (id) => blocked.has(id),
    blockers(id) {
      const issue = byId.get(id)
      if (issue === undefined || isOver(issue)) return []
      const ids = ownReasons(issue).flatMap((why) =>
        why.kind === 'waits-for' ? why.children : 'by' in why ? [why.by] : [],
      )
      return [...new Set(ids)]
    },
    explain: explainId,
  }
}

function parentEdges(issue: ReadinessIssue): IssueId[] {
  return issue.dependencies.flatMap(({ type, dependsOnId }) => (type === 'parent-child' ? [dependsOnId] : []))
}

function childrenByEdge<T extends ReadinessIssue>(issues: readonly T[]): Map<IssueId, T[]> {
  const children = new Map<IssueId, T[]>()
  for (const issue of issues) {
    for (const parent of parentEdges(issue)) {
      const known = children.get(parent)
      if (known === undefined) children.set(parent, [issue])
      else known.push(issue)
    }
  }
  return children
}

/** Whether the first child that ends sets a waiting issue free; else all have to end. */
function isAnyGate(metadata: string): boolean {
  try {
    const value: unknown = JSON.parse(metadata)
    return typeof value === 'object' && value !== null && 'gate' in value && value.gate === 'any-children'
  } catch {
    return false
  }
}

/** The order of ready work: priority, newest first, id. */
export function compareReady(
  a: Pick<FullIssue, 'id' | 'priority' | 'createdAt'>,
  b: Pick<FullIssue, 'id' | 'priority' | 'createdAt'>,
): number {
  return (
    a.priority - b.priority || compareIssueTimes(b.createdAt, a.createdAt) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
  )
}

/** A reason as a person reads it, without a full stop. */
export function reasonText(why: NotReady): string {
  switch (why.kind) {
    case 'status':
      return `its status is ${why.status}`
    case 'type':
      return `a ${why.issueType} is never ready work`
    case 'pinned':
      return 'it is pinned'
    case 'ephemeral':
      return 'it is ephemeral'
    case 'claimed':
      return 'it is claimed'
    case 'deferred':
      return `it is deferred until ${why.until}`
    case 'parent-deferred':
      return `its parent ${why.parentId} is deferred until ${why.until}`
    case 'blocked-by':
      return `${why.by} blocks it and is ${why.status}`
    case 'condition-unmet':
      return `it applies only if ${why.by} fails, and ${why.by} did not fail`
    case 'external':
      return `it needs ${why.by}, which is outside this tracker`
    case 'waits-for':
      return `it waits for children of ${why.spawner}: ${why.children.slice(0, 5).join(', ')}${why.children.length > 5 ? ', …' : ''}`
    case 'parent-blocked':
      return `its parent ${why.parentId} is blocked`
  }
}
