import { AppError } from '../../domain/errors'
import type { IssueId } from '../../domain/ids'
import { type FullIssue, ISSUE_LIMITS } from '../../domain/issue/issue'
import type { StoredIssue } from '../../domain/issue/issue-store'
import {
  checkExtra,
  checkIssueFields,
  checkLabels,
  checkPriority,
  checkStatus,
  checkText,
  checkTitle,
  checkType,
} from './check-fields'
import { claimIssue } from './claim-issue'
import { newEdge } from './edges'
import type { UpdateIssue } from './issue-inputs'
import { getIssue, type IssueUnit, onlyIssue, recordChange, saveIssue } from './issue-unit'

/** @param parentId  `undefined` = as it is */
export async function updateIssue(
  unit: IssueUnit,
  before: StoredIssue,
  input: UpdateIssue,
  parentId: IssueId | null | undefined,
): Promise<void> {
  if (input.ifUpdatedAt !== undefined && input.ifUpdatedAt !== before.updatedAt)
    throw new AppError('conflict', `Issue ${before.id} was changed in the meantime.`, {
      hint: 'Read it again, then repeat the change if it still applies.',
      details: { updatedAt: before.updatedAt },
    })
  const after = withFields(unit, onlyIssue(before), input)
  if (parentId !== undefined) after.dependencies = await withParent(unit, after, parentId)
  await refuseClose(unit, before, after, input.force === true)
  settleTimes(unit, before, after)
  const change = difference(before, after)
  if (change !== null) {
    const former = await saveIssue(unit, before, { ...after, updatedAt: unit.at })
    if ('status' in change.new || 'dependencies' in change.new || 'closeReason' in change.new || before.isAbsent)
      await unit.issues.refreshBlocked(unit.key, [before.id, ...former])
    await endClaim(unit, before, after)
    const isClose = unit.statuses.isDone(after.status) && !unit.statuses.isDone(before.status)
    await recordChange(unit, before, isClose ? 'closed' : 'updated', change)
  }
  if (input.claim === true) await claimIssue(unit, await getIssue(unit, before.id), false)
}

function withFields(unit: IssueUnit, issue: FullIssue, input: UpdateIssue): FullIssue {
  const after = { ...issue, ...checkIssueFields(input) }
  if (input.title !== undefined) after.title = checkTitle(input.title)
  if (input.appendNotes !== undefined)
    after.notes = checkText('notes', after.notes === '' ? input.appendNotes : `${after.notes}\n${input.appendNotes}`)
  if (input.status !== undefined && input.status !== issue.status)
    after.status = checkStatus(input.status, unit.statuses.names)
  if (input.priority !== undefined) after.priority = checkPriority(input.priority)
  if (input.issueType !== undefined) after.issueType = checkType(input.issueType)
  if (input.activeTaskSession !== undefined) after.activeTaskSession = input.activeTaskSession
  if (input.extra !== undefined) after.extra = withExtra(after.extra, input.extra)
  if (input.metadata !== undefined) after.extra = withMetadata(after.extra, input.metadata)
  const labels = input.labels ?? after.labels
  const removed = new Set(input.removeLabels ?? [])
  if (input.labels !== undefined || input.addLabels !== undefined || removed.size > 0)
    after.labels = checkLabels([...labels, ...(input.addLabels ?? [])].filter((label) => !removed.has(label)))
  return after
}

function withExtra(extra: Record<string, unknown>, given: Record<string, unknown>): Record<string, unknown> {
  const merged = { ...extra, ...checkExtra(given) }
  for (const [key, value] of Object.entries(given)) if (value === null) delete merged[key]
  return merged
}

function withMetadata(extra: Record<string, unknown>, given: Record<string, unknown>): Record<string, unknown> {
  const { metadata = {} } = extra
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata))
    throw new AppError('conflict', "Single keys can't be set because the metadata is not an object.", {
      hint: "Make it an object first with --metadata '{}'.",
    })
  return withExtra(extra, { metadata: withExtra(metadata as Record<string, unknown>, given) })
}

async function withParent(unit: IssueUnit, issue: FullIssue, parentId: IssueId | null) {
  const others = issue.dependencies.filter(({ type }) => type !== 'parent-child')
  if (parentId === null) return others
  const same = issue.dependencies.filter((edge) => edge.type === 'parent-child' && edge.dependsOnId === parentId)
  if (same.length > 0) return issue.dependencies
  const edge = await newEdge(
    unit,
    { id: issue.id, dependencies: others },
    { dependsOnId: parentId, type: 'parent-child' },
  )
  return [...others, edge]
}

/** @throws `conflict` what is not to be closed, unless forced */
async function refuseClose(unit: IssueUnit, before: StoredIssue, after: FullIssue, isForced: boolean): Promise<void> {
  if (!unit.statuses.isDone(after.status) || unit.statuses.isDone(before.status)) return
  unit.asked.force = isForced
  if (isForced) return
  const refuse = (why: string, details: Record<string, unknown>): never => {
    throw new AppError('conflict', `Issue ${before.id} can't be closed: ${why}.`, {
      hint: 'Close those first, or pass --force.',
      details,
    })
  }
  if (before.status === 'pinned' || before.extra.pinned === true) refuse('it is pinned', {})
  const blockers = await unit.issues.blockers(before.key)
  if (blockers.length > 0) refuse(`it is blocked by ${list(blockers)}`, { blockers })
  const children = before.issueType === 'epic' ? await unit.issues.openChildren(unit.key, before.id) : []
  if (children.length > 0) refuse(`${children.length} of its children are open: ${list(children)}`, { children })
}

const list = (ids: readonly IssueId[]): string => `${ids.slice(0, 5).join(', ')}${ids.length > 5 ? ', …' : ''}`

/** What a change of status brings with it. */
function settleTimes(unit: IssueUnit, before: FullIssue, after: FullIssue): void {
  const [was, is] = [unit.statuses.isDone(before.status), unit.statuses.isDone(after.status)]
  if (after.status === 'in_progress' && after.startedAt === null) after.startedAt = unit.at
  if (is && !was) {
    after.closedAt = unit.at
    after.closedBySession = unit.sessionId
    after.activeTaskSession = null
  }
  if (!is && was) {
    after.closedAt = null
    after.closeReason = null
    after.closedBySession = null
  }
}

/** Closing an issue ends its claim. */
async function endClaim(unit: IssueUnit, before: StoredIssue, after: FullIssue): Promise<void> {
  const category = unit.statuses.categoryOf(after.status)
  if (after.status !== before.status && category !== 'wip') await unit.issues.removeClaim(before.key)
}

/** The fields that differ, before and after; `null` = none. */
function difference(
  before: StoredIssue,
  after: FullIssue,
): { old: Record<string, unknown>; new: Record<string, unknown> } | null {
  const old: Record<string, unknown> = {}
  const now: Record<string, unknown> = {}
  for (const field of Object.keys(after) as (keyof FullIssue)[]) {
    if (field === 'comments' || JSON.stringify(before[field]) === JSON.stringify(after[field])) continue
    old[field] = before[field]
    now[field] = after[field]
  }
  return Object.keys(now).length === 0 ? null : { old, new: now }
}

export async function closeIssue(
  unit: IssueUnit,
  before: StoredIssue,
  { reason, force }: { reason?: string | undefined; force?: boolean | undefined },
): Promise<void> {
  if (unit.statuses.isDone(before.status)) {
    unit.notices.push(`${before.id} was already closed`)
    return
  }
  const after: FullIssue = {
    ...onlyIssue(before),
    status: 'closed',
    closeReason: checkText('reason', reason ?? 'Closed', ISSUE_LIMITS.reason),
  }
  await refuseClose(unit, before, after, force === true)
  settleTimes(unit, before, after)
  await saveIssue(unit, before, { ...after, updatedAt: unit.at })
  await unit.issues.removeClaim(before.key)
  await unit.issues.refreshBlocked(unit.key, [before.id])
  await recordChange(unit, before, 'closed', {
    old: { status: before.status },
    new: { status: 'closed', closeReason: after.closeReason, closedBySession: after.closedBySession },
  })
}

export async function reopenIssue(unit: IssueUnit, before: StoredIssue, reason: string | undefined): Promise<void> {
  if (!unit.statuses.isDone(before.status)) {
    unit.notices.push(`${before.id} is not closed: its status is ${before.status}`)
    return
  }
  const after: FullIssue = { ...onlyIssue(before), status: 'open' }
  unit.asked.reason = reason ?? null
  settleTimes(unit, before, after)
  await saveIssue(unit, before, { ...after, updatedAt: unit.at })
  await unit.issues.refreshBlocked(unit.key, [before.id])
  await recordChange(unit, before, 'reopened', {
    old: { status: before.status, closeReason: before.closeReason },
    new: { status: 'open', ...(reason !== undefined && { reason: checkText('reason', reason, ISSUE_LIMITS.reason) }) },
  })
}
