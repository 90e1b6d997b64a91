import { AppError } from '../../domain/errors'
import type { FeedKind } from '../../domain/feed'
import type { AgentId, IssueId, SessionId, TrackerKey } from '../../domain/ids'
import type { FullIssue } from '../../domain/issue/issue'
import { issueFacts } from '../../domain/issue/issue-facts'
import { type StatusCatalog, statusCatalog } from '../../domain/issue/issue-status'
import type { IssueTx, StoredIssue, Tracker } from '../../domain/issue/issue-store'
import type { WriteTx } from '../../domain/store'
import type { Caller } from '../../domain/task/worker-protocol'
import { foldName } from '../../domain/user/user'
import type { IssueScope } from './issue-inputs'
import type { Asked } from './kept/issue-keeper'

export type IssueCaller = Caller | { kind: 'system' }

/** A unit of work on one tracker, with who asked for it. */
export interface IssueUnit {
  readonly issues: IssueTx
  readonly tx: WriteTx
  readonly tracker: Tracker
  readonly key: TrackerKey
  readonly now: number
  /** `now` as it is written. */
  readonly at: string
  readonly caller: IssueCaller
  /** As people and files read it. */
  readonly actor: string
  readonly agentId: AgentId | null
  /** The calling session, where it is known. */
  readonly sessionId: SessionId | null
  readonly statuses: StatusCatalog
  /** What the caller should hear beside the answer. */
  readonly notices: string[]
  /** What a program that keeps the issues needs to hear beside them. */
  readonly asked: Asked
  /** Ids that new issues get, in their order, from such a program; where there are none left, ids are made. */
  readonly newIds: IssueId[]
}

export async function issueUnit(
  tx: WriteTx,
  tracker: Tracker,
  caller: IssueCaller,
  scope: IssueScope,
  now: number,
  notices: string[],
  newIds: IssueId[] = [],
): Promise<IssueUnit> {
  const { actor, agentId, sessionId } = await whoCalls(tx, caller, scope)
  return {
    issues: tx.issues,
    tx,
    tracker,
    key: tracker.key,
    now,
    at: new Date(now).toISOString(),
    caller,
    actor,
    agentId,
    sessionId,
    statuses: statusCatalog(tracker.statuses),
    notices,
    asked: { force: false, hasId: false, hasPrefix: false, reason: null },
    newIds,
  }
}

/**
 * The author that an operator's command claims to be, such as the name that git knows. A person's name there claims that somebody else
 * speaks.
 */
export async function claimed({ users }: Pick<WriteTx, 'users'>, typed: string | undefined): Promise<string> {
  const name = typed?.trim()
  if (name === undefined || name === '') return 'operator'
  return (await users.byFold(foldName(name))) === undefined ? name : `${name} (operator)`
}

/** A run and a person are who their tokens say; what an operator's command says of itself is taken as it is. */
async function whoCalls(tx: WriteTx, caller: IssueCaller, { actor, sessionId }: IssueScope) {
  if (caller.kind !== 'system' && caller.user !== undefined && caller.kind !== 'viewer')
    return { actor: caller.user.name, agentId: null, sessionId: null }
  if (caller.kind === 'operator')
    return { actor: await claimed(tx, actor), agentId: null, sessionId: sessionId ?? null }
  if (caller.kind === 'approver')
    throw new AppError('forbidden', "An approver's token without a person can't change issues.")
  if (caller.kind === 'viewer') throw new AppError('forbidden', "A viewer can't change issues.")
  if (caller.kind === 'system') return { actor: 'lodeline', agentId: null, sessionId: null }
  const agent = await tx.tasks.agent(caller.agentId)
  const run = caller.kind === 'attempt' ? await tx.tasks.attempt(caller.attemptId) : undefined
  if (run !== undefined && run.endedAt !== null)
    throw new AppError('lease_lost', `Attempt ${run.id} is over; nothing was changed.`, { hint: 'Stop working on it.' })
  return {
    actor: agent?.name ?? caller.agentId,
    agentId: caller.agentId,
    sessionId: run?.conversation?.sessionId ?? (caller.kind === 'agent' ? (sessionId ?? null) : null),
  }
}

/**
 * Keeps an issue as it is to be from now on; the file gets it with the command's end.
 * @returns parents that it had and has no longer, for `refreshBlocked`
 */
export async function saveIssue(
  unit: IssueUnit,
  before: StoredIssue | undefined,
  issue: FullIssue,
  more: { isDeleted?: boolean; raw?: string | null } = {},
): Promise<IssueId[]> {
  return await unit.issues.save(unit.key, [
    {
      key: before?.key ?? null,
      issue,
      facts: issueFacts(issue, unit.statuses),
      state: {
        isDeleted: more.isDeleted === true,
        // A change to an issue that is no longer in the file restores it.
        isAbsent: false,
        isDirty: unit.tracker.path !== null,
        raw: more.raw === undefined ? (before?.isAbsent === true ? null : (before?.raw ?? null)) : more.raw,
      },
      keepsComments: before !== undefined && before.comments === issue.comments,
    },
  ])
}

/** Says a change in the history and the feed. */
export async function recordChange(
  unit: IssueUnit,
  issue: { id: FullIssue['id'] },
  event: string,
  change: { old?: Record<string, unknown>; new?: Record<string, unknown> } = {},
  kind: FeedKind = 'issue.updated',
): Promise<void> {
  const saved = await unit.issues.find(unit.key, issue.id)
  if (saved !== undefined)
    await unit.issues.addHistory([
      {
        issueKey: saved.key,
        at: unit.now,
        by: unit.actor,
        event,
        old: change.old ?? null,
        new: change.new ?? null,
        sessionId: unit.sessionId,
      },
    ])
  await unit.tx.appendFeed(kind, null, {
    issueId: issue.id,
    what: event,
    ...(saved && { title: saved.title.slice(0, 200), status: saved.status, type: saved.issueType }),
    ...(unit.tracker.path !== null && { path: unit.tracker.path }),
    by: unit.agentId ?? unit.actor,
    ...(unit.sessionId !== null && { sessionId: unit.sessionId }),
  })
}

/** @throws `not_found` */
export async function getIssue(unit: IssueUnit, id: FullIssue['id']): Promise<StoredIssue> {
  const found = await unit.issues.find(unit.key, id)
  if (found === undefined || found.isDeleted)
    throw new AppError('not_found', `There is no issue ${id}.`, { hint: 'Run `lode issue list` to see all issues.' })
  return found
}

export function onlyIssue(issue: StoredIssue): FullIssue {
  const {
    key: _key,
    trackerKey: _tracker,
    isBlocked: _blocked,
    isDeleted: _deleted,
    isAbsent: _absent,
    isDirty: _dirty,
    raw: _raw,
    ...rest
  } = issue
  return rest
}
