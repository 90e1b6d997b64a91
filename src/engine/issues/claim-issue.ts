import { AppError } from '../../domain/errors'
import type { FullIssue } from '../../domain/issue/issue'
import type { StoredIssue } from '../../domain/issue/issue-store'
import { type IssueUnit, onlyIssue, recordChange, saveIssue } from './issue-unit'

/**
 * Makes the caller the one who works on it. The same holder again is fine.
 *
 * @throws `conflict` another holds it (`details.claim`), or it is not to be worked on
 */
export async function claimIssue(unit: IssueUnit, issue: StoredIssue, isForced: boolean): Promise<void> {
  await unit.issues.lock(unit.key)
  const claim = await unit.issues.claim(issue.key)
  const holder = unit.actor
  const isMine =
    claim !== undefined &&
    (unit.sessionId !== null
      ? claim.sessionId === unit.sessionId
      : unit.agentId !== null
        ? claim.agentId === unit.agentId
        : claim.sessionId === null && claim.agentId === null && claim.holder === holder)
  if (claim !== undefined && !isMine && !isForced) {
    const since = new Date(claim.since).toISOString()
    throw new AppError('conflict', `Issue ${issue.id} has been held by ${claim.holder} since ${since}.`, {
      hint:
        claim.goneAt === null
          ? 'Take another issue, or pass --force if you know that its holder is gone.'
          : 'Its holder is gone. Wait until the claim expires, or pass --force.',
      details: {
        claim: {
          holder: claim.holder,
          sessionId: claim.sessionId,
          agentId: claim.agentId,
          since,
          isGone: claim.goneAt !== null,
        },
      },
    })
  }
  const category = unit.statuses.categoryOf(issue.status)
  if (category === 'done' || issue.status === 'pinned')
    throw new AppError('conflict', `Issue ${issue.id} is ${issue.status}: there is nothing to work on.`, {
      details: { status: issue.status },
    })
  const isOthers = claim === undefined && category === 'wip' && issue.assignee !== null && issue.assignee !== holder
  if (isOthers && !isForced)
    throw new AppError('conflict', `Issue ${issue.id} is ${issue.status} and assigned to ${issue.assignee}.`, {
      hint: 'Take another issue, or pass --force.',
      details: { status: issue.status, assignee: issue.assignee },
    })
  await unit.issues.putClaim({
    issueKey: issue.key,
    holder,
    sessionId: unit.sessionId,
    agentId: unit.agentId,
    since: isMine ? (claim?.since ?? unit.now) : unit.now,
    goneAt: null,
  })
  const after: FullIssue = {
    ...onlyIssue(issue),
    assignee: holder,
    status: category === 'wip' ? issue.status : 'in_progress',
    startedAt: issue.startedAt ?? unit.at,
    activeTaskSession: unit.sessionId ?? (isMine ? issue.activeTaskSession : null),
  }
  const isSame =
    isMine &&
    after.assignee === issue.assignee &&
    after.status === issue.status &&
    after.activeTaskSession === issue.activeTaskSession
  if (isSame) return
  await saveIssue(unit, issue, { ...after, updatedAt: unit.at })
  if (after.status !== issue.status) await unit.issues.refreshBlocked(unit.key, [issue.id])
  await recordChange(unit, issue, 'claimed', {
    old: { status: issue.status, assignee: issue.assignee },
    new: { status: after.status, assignee: holder, sessionId: unit.sessionId },
  })
}

/** Back to where others may take it. @throws `conflict` nobody holds it · `forbidden` another does */
export async function releaseIssue(unit: IssueUnit, issue: StoredIssue, isForced: boolean): Promise<void> {
  const claim = await unit.issues.claim(issue.key)
  if (claim === undefined) throw new AppError('conflict', `Nobody holds issue ${issue.id}.`)
  const isMine =
    (unit.sessionId !== null && claim.sessionId === unit.sessionId) ||
    (unit.agentId !== null && claim.agentId === unit.agentId) ||
    claim.holder === unit.actor
  const isOperator = unit.caller.kind === 'operator' || unit.caller.kind === 'system'
  if (!isMine && !(isForced && isOperator))
    throw new AppError('forbidden', `Issue ${issue.id} is held by ${claim.holder}, not by ${unit.actor}.`, {
      hint: 'An operator may release it with --force.',
    })
  await freeIssue(unit, issue, claim.holder, 'released')
}

/** Ends a claim: open again, and nobody's. */
export async function freeIssue(
  unit: IssueUnit,
  issue: StoredIssue,
  holder: string,
  event: 'released' | 'claim_lapsed',
): Promise<void> {
  await unit.issues.removeClaim(issue.key)
  const isAtWork = unit.statuses.categoryOf(issue.status) === 'wip' && issue.status !== 'blocked'
  const after: FullIssue = {
    ...onlyIssue(issue),
    status: isAtWork ? 'open' : issue.status,
    assignee: issue.assignee === holder ? null : issue.assignee,
    activeTaskSession: null,
    updatedAt: unit.at,
  }
  await saveIssue(unit, issue, after)
  await unit.issues.refreshBlocked(unit.key, [issue.id])
  await recordChange(unit, issue, event, { old: { holder, status: issue.status }, new: { status: after.status } })
}
