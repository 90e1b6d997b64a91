import { AppError } from '../../../../domain/errors'
import type { IssueId, TrackerKey } from '../../../../domain/ids'
import type { IssueFilter, ReadyFilter, ShownIssue } from '../../../../domain/issue/issue-store'
import { issueTimeMs } from '../../../../domain/issue/issue-time'
import type { Caller } from '../../../../domain/task/worker-protocol'
import { resolveIssue } from '../../../../engine/issues/find-issue'
import type { Changed, IssueScope } from '../../../../engine/issues/issue-inputs'
import { issues } from '../../../contract/operations/issues'
import { DEFAULT_PAGE_LIMIT } from '../../../contract/protocol'
import type { Context } from '../../context'
import { type Call, handle } from '../../handler'
import { idempotencyKey } from '../../request/idempotency-key'

type Scoped = { dir?: string | undefined; actor?: string | undefined; sessionId?: IssueScope['sessionId'] }

const scopeOf = ({ dir, actor, sessionId }: Scoped): IssueScope => ({ dir, actor, sessionId })

/** What is left of a request without who and where. */
function inputOf<T extends Scoped>({
  dir: _dir,
  actor: _actor,
  sessionId: _session,
  ...input
}: T): Omit<T, keyof Scoped> {
  return input
}

/** The tracker of a read, in step with its file. */
export const enter = (caller: Caller, query: Scoped, { services }: Context) =>
  services.issues.resolveScope(caller, scopeOf(query))

/** An issue whole, as every answer shows it. */
export async function shownIssue(tracker: TrackerKey, id: IssueId, { store }: Context): Promise<ShownIssue> {
  const [[shown], [stored]] = await Promise.all([store.issues.shown(tracker, [id]), store.issues.find(tracker, id)])
  if (shown === undefined || stored === undefined) throw new AppError('not_found', `There is no issue ${id}.`)
  return { ...shown, comments: stored.comments }
}

async function changed(done: Promise<Changed>, context: Context) {
  const { tracker, ids, notices } = await done
  const [id] = ids
  if (id === undefined) throw new Error('The change has no issue.')
  return { issue: await shownIssue(tracker, id, context), notices }
}

export const createIssue = handle(issues.create, ({ caller, body, request }, context) =>
  changed(context.services.issues.create(caller, scopeOf(body), inputOf(body), idempotencyKey(request)), context),
)

export const listIssues = handle(issues.list, async ({ caller, query }, context) => {
  const { tracker, notices } = await enter(caller, query, context)
  const { limit = DEFAULT_PAGE_LIMIT, cursor, order, isReversed } = query
  const page = await context.store.issues.list(
    tracker,
    await filterOf(query, tracker, context),
    { limit, ...(cursor !== undefined && { cursor }) },
    order,
    isReversed,
  )
  return {
    issues: page.rows,
    total: page.total ?? page.rows.length,
    isTruncated: page.nextCursor !== null,
    nextCursor: page.nextCursor,
    notices,
  }
})

const TIMES = [
  'createdAfter',
  'createdBefore',
  'updatedAfter',
  'updatedBefore',
  'closedAfter',
  'closedBefore',
  'dueBefore',
] as const

async function filterOf(
  query: Call<typeof issues.list>['query'],
  tracker: TrackerKey | null,
  context: Context,
): Promise<IssueFilter> {
  const { limit: _limit, cursor: _cursor, order: _order, isReversed: _reversed, activeSession, ...all } = inputOf(query)
  const filter: Record<string, unknown> = { ...all, ...(activeSession !== undefined && { sessionId: activeSession }) }
  for (const name of TIMES) {
    const time = all[name]
    if (time !== undefined) filter[name] = issueTimeMs(time) ?? Date.parse(time)
  }
  if (all.parentId !== undefined) filter.parentId = (await resolveIssue(context.store, tracker, all.parentId)).id
  return filter as IssueFilter
}

async function readyFilter(
  {
    types,
    priorities,
    assignee,
    noAssignee,
    labels,
    anyLabels,
    parentId,
  }: Omit<Call<typeof issues.ready>['query'], 'limit'>,
  tracker: TrackerKey | null,
  context: Context,
): Promise<ReadyFilter> {
  const given = { types, priorities, assignee, noAssignee, labels, anyLabels }
  const filter = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as ReadyFilter
  if (parentId !== undefined) filter.parentId = (await resolveIssue(context.store, tracker, parentId)).id
  return filter
}

export const readyIssues = handle(issues.ready, async ({ caller, query }, context) => {
  const { store, services, access, now } = context
  const { tracker, notices } = await enter(caller, query, context)
  // Without a server nobody looks after claims of those who are gone but the command that wants to know.
  if (access.kind === 'in_process' && (await store.issues.claims()).length > 0) await services.issues.sweep()
  const filter = await readyFilter(query, tracker, context)
  const limit = query.limit ?? 100
  const issues = await store.issues.ready(tracker, filter, Math.min(limit + 1, 100_000), now())
  const isTruncated = issues.length > limit
  const total = isTruncated ? await store.issues.countReady(tracker, filter, now()) : issues.length
  return { issues: issues.slice(0, limit), total, isTruncated, notices }
})

export const blockedIssues = handle(issues.blocked, async ({ caller, query }, context) => {
  const { tracker, notices } = await enter(caller, query, context)
  const limit = query.limit ?? 100
  const issues = await context.store.issues.blocked(tracker, 100_000)
  return { issues: issues.slice(0, limit), total: issues.length, isTruncated: issues.length > limit, notices }
})

export const updateIssue = handle(issues.update, ({ caller, params, body }, context) =>
  changed(context.services.issues.update(caller, scopeOf(body), params.id, inputOf(body)), context),
)

export const closeIssue = handle(issues.close, ({ caller, params, body }, context) =>
  changed(context.services.issues.close(caller, scopeOf(body), params.id, inputOf(body)), context),
)

export const reopenIssue = handle(issues.reopen, ({ caller, params, body }, context) =>
  changed(context.services.issues.reopen(caller, scopeOf(body), params.id, inputOf(body)), context),
)

export const claimIssue = handle(issues.claim, ({ caller, params, body }, context) =>
  changed(context.services.issues.claim(caller, scopeOf(body), params.id, inputOf(body)), context),
)

export const releaseIssue = handle(issues.release, ({ caller, params, body }, context) =>
  changed(context.services.issues.release(caller, scopeOf(body), params.id, inputOf(body)), context),
)

export const dispatchIssue = handle(issues.dispatch, async ({ caller, params, body, request }, { services }) => {
  const key = idempotencyKey(request)
  const done = await services.issues.dispatch(caller, scopeOf(body), params.id, inputOf(body), key)
  const { tracker: _, ...answer } = done
  return answer
})

export const claimNextIssue = handle(issues.claimNext, async ({ caller, body }, context) => {
  const { tracker: entered } = await enter(caller, body, context)
  const filter = await readyFilter(body, entered, context)
  const { tracker, ids, notices } = await context.services.issues.claimNext(caller, scopeOf(body), filter)
  const [id] = ids
  return { issue: id === undefined ? null : await shownIssue(tracker, id, context), notices }
})

export const deleteIssue = handle(issues.delete, async ({ caller, params, query }, { services }) => {
  const { tracker: _, ...outcome } = await services.issues.delete(caller, scopeOf(query), params.id, inputOf(query))
  return outcome
})
