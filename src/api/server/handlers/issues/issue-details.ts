import { dirname } from 'node:path'
import type { TrackerKey } from '../../../../domain/ids'
import { issueCycles } from '../../../../domain/issue/issue-cycles'
import { epicProgress } from '../../../../domain/issue/issue-epic'
import { readinessOf, reasonText } from '../../../../domain/issue/issue-ready'
import { BUILT_IN_STATUSES, statusCatalog } from '../../../../domain/issue/issue-status'
import { ownValue } from '../../../../domain/own-value'
import { resolveIssue } from '../../../../engine/issues/find-issue'
import { issues } from '../../../contract/operations/issues'
import type { Context } from '../../context'
import { handle } from '../../handler'
import { enter, shownIssue } from './issues'

/** How many tasks of an issue are listed: the newest. */
const TASKS_SHOWN = 10
const TEXT_TYPE = 'application/x-ndjson; charset=utf-8'

export const showIssue = handle(issues.get, async ({ caller, params, query }, context) => {
  const { store } = context
  const entered = await enter(caller, query, context)
  const { id, tracker } = await resolveIssue(store, entered.tracker, params.id)
  const issue = await shownIssue(tracker, id, context)
  const [[stored], children, needed, dependents] = await Promise.all([
    store.issues.find(tracker, id),
    store.issues.children(tracker, id),
    store.issues.shown(
      tracker,
      issue.dependencies.map(({ dependsOnId }) => dependsOnId),
    ),
    store.issues.dependents(tracker, id),
  ])
  const byId = new Map(needed.map((one) => [one.id, one]))
  const path = entered.path ?? (await pathOf(tracker, context))
  return {
    issue,
    children,
    dependencies: issue.dependencies.map(({ dependsOnId, type }) => ({
      id: dependsOnId,
      type,
      issue: byId.get(dependsOnId) ?? null,
    })),
    dependents: dependents.map((one) => ({ id: one.issue.id, type: one.type, issue: one.issue })),
    isInFile: stored?.isAbsent !== true,
    path,
    tasks: await store.issues.tasks(tracker, id, TASKS_SHOWN),
    notices: entered.notices,
  }
})

async function pathOf(tracker: TrackerKey, { store }: Context): Promise<string | null> {
  return (await store.issues.trackers()).find(({ key }) => key === tracker)?.path ?? null
}

async function statusesOf(tracker: TrackerKey | null, { store }: Context) {
  const found = tracker === null ? undefined : (await store.issues.trackers()).find(({ key }) => key === tracker)
  return statusCatalog(found?.statuses ?? [])
}

export const explainIssue = handle(issues.explain, async ({ caller, params, query }, context) => {
  const { store, now } = context
  const { tracker: entered, notices } = await enter(caller, query, context)
  const { id, tracker } = await resolveIssue(store, entered, params.id)
  const [graph, statuses, claims] = await Promise.all([
    store.issues.graph(tracker),
    statusesOf(tracker, context),
    store.issues.claims(),
  ])
  const claimed = new Set(claims.filter((one) => one.trackerKey === tracker).map(({ issueId }) => issueId))
  const reasons = readinessOf(graph, { nowMs: now(), statuses, claimed }).explain(id)
  return {
    id,
    isReady: reasons.length === 0,
    reasons: reasons.map((reason) => ({ kind: reason.kind, text: reasonText(reason) })),
    notices,
  }
})

export const issueTree = handle(issues.tree, async ({ caller, params, query }, context) => {
  const { store } = context
  const { tracker: entered, notices } = await enter(caller, query, context)
  const { id, tracker } = await resolveIssue(store, entered, params.id)
  return { nodes: await store.issues.tree(tracker, id, query.direction ?? 'down', query.maxDepth ?? 50), notices }
})

export const issueHistory = handle(issues.history, async ({ caller, params, query }, context) => {
  const { store } = context
  const { tracker: entered, notices } = await enter(caller, query, context)
  const { id, tracker } = await resolveIssue(store, entered, params.id)
  return { history: await store.issues.history(tracker, id, query.limit ?? 100), notices }
})

export const listComments = handle(issues.comments, async ({ caller, params, query }, context) => {
  const { tracker: entered, notices } = await enter(caller, query, context)
  const { id, tracker } = await resolveIssue(context.store, entered, params.id)
  return { comments: (await shownIssue(tracker, id, context)).comments, notices }
})

export const commentIssue = handle(issues.comment, async ({ caller, params, body }, context) => {
  const { dir, actor, sessionId, ...input } = body
  const done = await context.services.issues.comment(caller, { dir, actor, sessionId }, params.id, input)
  const [id] = done.ids
  if (id === undefined) throw new Error('The comment has no issue.')
  const issue = await shownIssue(done.tracker, id, context)
  const comment = issue.comments.find((one) => one.id === done.commentId)
  if (comment === undefined) throw new Error('The comment was not found.')
  return { issue, comment, notices: done.notices }
})

export const addDependency = handle(issues.addDependency, async ({ caller, params, body }, context) => {
  const { dir, actor, sessionId, ...input } = body
  const done = await context.services.issues.addDependency(caller, { dir, actor, sessionId }, params.id, input)
  const [id] = done.ids
  if (id === undefined) throw new Error('The dependency has no issue.')
  return { issue: await shownIssue(done.tracker, id, context), notices: done.notices }
})

export const removeDependency = handle(issues.removeDependency, async ({ caller, params, query }, context) => {
  const done = await context.services.issues.removeDependency(caller, query, params.id, params.dependsOnId)
  const [id] = done.ids
  if (id === undefined) throw new Error('The dependency has no issue.')
  return { issue: await shownIssue(done.tracker, id, context), notices: done.notices }
})

export const issueStats = handle(issues.stats, async ({ caller, query }, context) => {
  const { store, now } = context
  const { tracker, notices } = await enter(caller, query, context)
  const [counts, graph, statuses] = await Promise.all([
    store.issues.counts(tracker, now()),
    store.issues.graph(tracker),
    statusesOf(tracker, context),
  ])
  const eligible = epicProgress(graph, statuses).filter(({ isEligibleForClose }) => isEligibleForClose)
  return { ...counts, epicsEligibleForClose: eligible.length, notices }
})

export const listCycles = handle(issues.cycles, async ({ caller, query }, context) => {
  const { tracker, notices } = await enter(caller, query, context)
  return { cycles: issueCycles(await context.store.issues.graph(tracker)), notices }
})

export const listEpicProgress = handle(issues.epics, async ({ caller, query }, context) => {
  const { store } = context
  const { tracker, notices } = await enter(caller, query, context)
  const statuses = await statusesOf(tracker, context)
  const progress = epicProgress(await store.issues.graph(tracker), statuses)
  const shown = new Map(
    (
      await store.issues.shown(
        tracker,
        progress.map(({ id }) => id),
      )
    ).map((issue) => [issue.id, issue]),
  )
  const epics = progress.flatMap(({ id, ...rest }) => {
    const epic = shown.get(id)
    return epic === undefined || statuses.isDone(epic.status) ? [] : [{ epic, ...rest }]
  })
  return { epics, notices }
})

export const listLabels = handle(issues.labels, async ({ caller, query }, context) => {
  const { tracker, notices } = await enter(caller, query, context)
  return { labels: await context.store.issues.labels(tracker), notices }
})

/** Those with a file: issues that belong to no folder are in no project. */
export const listTrackers = handle(issues.trackers, async (_call, { store }) => {
  const trackers = (await store.issues.trackers()).flatMap(({ path, hostName, prefix }) =>
    path === null ? [] : [{ dir: dirname(dirname(path)), path, hostName, prefix }],
  )
  return { trackers: trackers.sort((a, b) => (a.dir < b.dir ? -1 : 1)) }
})

export const exportIssues = handle(issues.export, async ({ caller, query, headers }, { services }) => {
  const { text } = await services.issues.export(caller, query)
  return new Response(text, { headers: { ...headers, 'content-type': TEXT_TYPE } })
})

export const importIssues = handle(issues.import, async ({ caller, body }, { services }) => {
  const { dir, actor, sessionId, ...input } = body
  const { tracker: _, ...outcome } = await services.issues.import(caller, { dir, actor, sessionId }, input)
  return outcome
})

export const syncIssues = handle(issues.sync, async ({ caller, body }, { services }) => {
  const { dir, actor, sessionId, ...input } = body
  const { tracker: _, ...outcome } = await services.issues.sync(caller, { dir, actor, sessionId }, input)
  return outcome
})

export const listStatuses = handle(issues.statusList, async ({ caller, query }, context) => {
  const { store, now } = context
  const { tracker, notices } = await enter(caller, query, context)
  const [catalog, { byStatus }] = await Promise.all([statusesOf(tracker, context), store.issues.counts(tracker, now())])
  const statuses = catalog.names.map((name) => ({
    name,
    category: catalog.categoryOf(name),
    isBuiltIn: BUILT_IN_STATUSES.names.includes(name),
    count: ownValue(byStatus, name) ?? 0,
  }))
  return { statuses, notices }
})

export const setStatuses = handle(issues.statuses, async ({ caller, body }, { services }) => {
  const { dir, actor, sessionId, ...change } = body
  const { notices } = await services.issues.setStatuses(caller, { dir, actor, sessionId }, change)
  return { notices }
})
