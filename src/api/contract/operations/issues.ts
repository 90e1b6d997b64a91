/** Issues. `null` in a change clears the field. */

import { withoutRuns } from '../../../domain/access/access'
import { COMMENT_ISSUE, LEAD, USE_ISSUES } from '../../../domain/access/rules'
import type { SessionId } from '../../../domain/ids'
import { ISSUE_LIMITS, ISSUE_PRIORITY, STATUS_CATEGORIES } from '../../../domain/issue/issue'
import { ISSUE_ORDERS } from '../../../domain/issue/issue-store'
import { issueFieldChanges, issueFields } from '../issue-schemas'
import { type Fields, json, noun } from '../operation'
import { taskFields } from '../task-schemas'

const scope = (f: Fields) => ({
  ...f.tracker(),
  /** The calling session. */
  sessionId: f.optional(f.idOf<SessionId>()),
})
const scopeOnly = (f: Fields) => f.strictObject(scope(f))

const status = (f: Fields) => f.strictObject({ name: f.text(100), category: f.nullable(f.enum(STATUS_CATEGORIES)) })
/** What is looked for, or taken away: files of other tools hold longer labels than ours. */
const list = (f: Fields) => f.array(f.text(ISSUE_LIMITS.name)).check(f.maxLength(ISSUE_LIMITS.labels))
const labels = (f: Fields) => f.listOf(f.words(ISSUE_LIMITS.label), ISSUE_LIMITS.labels)
const long = (f: Fields) => f.words(ISSUE_LIMITS.text)
const ids = (f: Fields) => f.array(f.id()).check(f.maxLength(1_000))
const priority = (f: Fields) => f.within(ISSUE_PRIORITY)
const rows = (f: Fields) => f.limit(100_000)
const reason = (f: Fields) => f.optional(f.words(ISSUE_LIMITS.reason))
const edge = (f: Fields) => ({
  dependsOnId: f.text(ISSUE_LIMITS.name),
  /** Default `blocks`. */
  type: f.optional(f.text(ISSUE_LIMITS.dependencyType)),
  /** JSON as text. */
  metadata: f.optional(f.words(ISSUE_LIMITS.metadata)),
})
const extra = (f: Fields) => f.record(f.string(), f.unknown())

const fields = (f: Fields) => ({
  status: f.optional(f.text(100)),
  priority: f.optional(priority(f)),
  issueType: f.optional(f.text(ISSUE_LIMITS.type)),
  labels: f.optional(labels(f)),
})

const newIssue = (f: Fields) =>
  f.strictObject({
    ...scope(f),
    ...fields(f),
    ...issueFields(f),
    title: f.words(ISSUE_LIMITS.title),
    parentId: f.optional(f.id()),
    dependencies: f.optional(f.array(f.strictObject(edge(f))).check(f.maxLength(1_000))),
    blocks: f.optional(ids(f)),
    id: f.optional(f.id()),
    prefix: f.optional(f.text(50)),
    extra: f.optional(extra(f)),
  })

const issueChange = (f: Fields) =>
  f.strictObject({
    ...scope(f),
    ...fields(f),
    ...issueFieldChanges(f),
    title: f.optional(f.words(ISSUE_LIMITS.title)),
    appendNotes: f.optional(long(f)),
    addLabels: f.optional(labels(f)),
    removeLabels: f.optional(list(f)),
    parentId: f.optional(f.nullable(f.id())),
    activeTaskSession: f.optional(f.nullable(f.idOf<SessionId>())),
    extra: f.optional(extra(f)),
    /** Keys that are put into `metadata`; `null` takes one out. */
    metadata: f.optional(extra(f)),
    claim: f.optional(f.boolean()),
    force: f.optional(f.boolean()),
    /** `updatedAt` of what the caller saw: an issue that somebody changed since is left as it is. */
    ifUpdatedAt: f.optional(f.text(100)),
  })

const readyFields = (f: Fields) => ({
  types: f.optional(list(f)),
  priorities: f.optional(f.array(priority(f))),
  assignee: f.optional(f.text(500)),
  noAssignee: f.optional(f.boolean()),
  labels: f.optional(list(f)),
  anyLabels: f.optional(list(f)),
  parentId: f.optional(f.id()),
})

const issueFilter = (f: Fields) =>
  f.strictObject({
    ...scope(f),
    ...readyFields(f),
    statuses: f.optional(list(f)),
    /** With what is done. */
    all: f.optional(f.boolean()),
    priorityMin: f.optional(priority(f)),
    priorityMax: f.optional(priority(f)),
    noLabels: f.optional(f.boolean()),
    noParent: f.optional(f.boolean()),
    /** Words that id or title hold. */
    text: f.optional(f.text(1_000)),
    /** Looks for them in the long texts as well. */
    isDeep: f.optional(f.boolean()),
    createdAfter: f.optional(f.time()),
    createdBefore: f.optional(f.time()),
    updatedAfter: f.optional(f.time()),
    updatedBefore: f.optional(f.time()),
    closedAfter: f.optional(f.time()),
    closedBefore: f.optional(f.time()),
    dueBefore: f.optional(f.time()),
    isDeferred: f.optional(f.boolean()),
    isBlocked: f.optional(f.boolean()),
    /** Only issues that the file has no longer. */
    isAbsent: f.optional(f.boolean()),
    activeSession: f.optional(f.idOf<SessionId>()),
    order: f.optional(f.enum(ISSUE_ORDERS)),
    isReversed: f.optional(f.boolean()),
    limit: f.optional(rows(f)),
    cursor: f.optional(f.cursor()),
  })

const forced = (f: Fields) => f.strictObject({ ...scope(f), force: f.optional(f.boolean()) })

export const issues = noun(
  'issues',
  {
    create: {
      method: 'POST',
      path: '/api/issues',
      access: USE_ISSUES,
      takes: 'large',
      isCreate: true,
      summary: 'Create an issue',
      body: newIssue,
      answer: json((schemas) => schemas.OneIssue),
    },
    list: {
      method: 'GET',
      path: '/api/issues',
      access: USE_ISSUES,
      summary: 'List and search issues; finished issues only on request',
      query: issueFilter,
      answer: json((schemas) => schemas.IssuePage),
    },
    ready: {
      method: 'GET',
      path: '/api/issues/ready',
      access: USE_ISSUES,
      summary: 'List issues that are ready to work on, best first',
      query: (f) => f.strictObject({ ...scope(f), ...readyFields(f), limit: f.optional(rows(f)) }),
      answer: json((schemas) => schemas.ReadyIssues),
    },
    blocked: {
      method: 'GET',
      path: '/api/issues/blocked',
      access: USE_ISSUES,
      summary: 'List blocked issues with their blockers',
      query: (f) => f.strictObject({ ...scope(f), limit: f.optional(rows(f)) }),
      answer: json((schemas) => schemas.BlockedIssues),
    },
    stats: {
      method: 'GET',
      path: '/api/issues/stats',
      access: USE_ISSUES,
      summary: 'Count issues by status, type and priority',
      query: scopeOnly,
      answer: json((schemas) => schemas.IssueStats),
    },
    cycles: {
      method: 'GET',
      path: '/api/issues/cycles',
      access: USE_ISSUES,
      summary: 'List cycles of blocking dependencies',
      query: scopeOnly,
      answer: json((schemas) => schemas.IssueCycles),
    },
    epics: {
      method: 'GET',
      path: '/api/issues/epics',
      access: USE_ISSUES,
      summary: 'Get the progress of epics by their children',
      query: scopeOnly,
      answer: json((schemas) => schemas.IssueEpics),
    },
    labels: {
      method: 'GET',
      path: '/api/issues/labels',
      access: USE_ISSUES,
      summary: 'List labels with their issue counts',
      query: scopeOnly,
      answer: json((schemas) => schemas.IssueLabels),
    },
    trackers: {
      method: 'GET',
      path: '/api/issues/trackers',
      access: withoutRuns(USE_ISSUES),
      summary: 'List the projects with known issues, by folder',
      answer: json((schemas) => schemas.IssueTrackers),
    },
    export: {
      method: 'GET',
      path: '/api/issues/export',
      access: USE_ISSUES,
      summary: 'Get the issue file; unchanged lines byte for byte',
      query: scopeOnly,
      answer: 'text',
    },
    import: {
      method: 'POST',
      path: '/api/issues/import',
      access: LEAD,
      takes: 'large',
      summary: 'Import issues from another file; never deletes',
      body: (f) =>
        f.strictObject({
          ...scope(f),
          /** Lines of issues; or `path`. */
          text: f.optional(f.words()),
          /** A file on the server's machine, absolute. */
          path: f.optional(f.text(4_096)),
          dryRun: f.optional(f.boolean()),
        }),
      answer: json((schemas) => schemas.IssueImport),
    },
    sync: {
      method: 'POST',
      path: '/api/issues/sync',
      access: LEAD,
      summary: 'Reread the whole issue file and write missing issues to it',
      body: (f) => f.strictObject({ ...scope(f), restore: f.optional(f.boolean()) }),
      answer: json((schemas) => schemas.IssueSync),
    },
    statusList: {
      method: 'GET',
      path: '/api/issues/statuses',
      access: USE_ISSUES,
      summary: 'List the statuses of a tracker with their issue counts',
      query: scopeOnly,
      answer: json((schemas) => schemas.IssueStatusList),
    },
    statuses: {
      method: 'PUT',
      path: '/api/issues/statuses',
      access: LEAD,
      summary: 'Set the custom statuses of a tracker, or add or remove one',
      body: (f) =>
        f.strictObject({
          ...scope(f),
          /** One of these three: all of them, one more or said anew, or the name of one that goes. */
          statuses: f.optional(f.array(status(f))),
          put: f.optional(status(f)),
          remove: f.optional(f.text(100)),
        }),
      answer: json((schemas) => schemas.IssueStatuses),
    },
    claimNext: {
      method: 'POST',
      path: '/api/issues/claim',
      access: USE_ISSUES,
      summary: 'Claim the first ready issue, if there is one',
      body: (f) => f.strictObject({ ...scope(f), ...readyFields(f) }),
      answer: json((schemas) => schemas.ClaimedIssue),
    },
    get: {
      method: 'GET',
      path: '/api/issues/:id',
      access: USE_ISSUES,
      summary: 'Get an issue with its comments, children, dependencies and dependents',
      query: scopeOnly,
      answer: json((schemas) => schemas.IssueDetail),
    },
    update: {
      method: 'PATCH',
      path: '/api/issues/:id',
      access: USE_ISSUES,
      takes: 'large',
      summary: 'Change an issue',
      body: issueChange,
      answer: json((schemas) => schemas.OneIssue),
    },
    delete: {
      method: 'DELETE',
      path: '/api/issues/:id',
      access: LEAD,
      summary: 'Delete an issue and leave a tombstone; without confirm, return a preview',
      query: (f) =>
        f.strictObject({
          ...scope(f),
          confirm: f.optional(f.boolean()),
          /** With everything below it. */
          cascade: f.optional(f.boolean()),
          reason: f.optional(f.text(ISSUE_LIMITS.reason)),
        }),
      answer: json((schemas) => schemas.IssueDeletion),
    },
    close: {
      method: 'POST',
      path: '/api/issues/:id/close',
      access: USE_ISSUES,
      summary: 'Close an issue',
      body: (f) => f.strictObject({ ...scope(f), reason: reason(f), force: f.optional(f.boolean()) }),
      answer: json((schemas) => schemas.OneIssue),
    },
    reopen: {
      method: 'POST',
      path: '/api/issues/:id/reopen',
      access: USE_ISSUES,
      summary: 'Reopen a closed issue',
      body: (f) => f.strictObject({ ...scope(f), reason: reason(f) }),
      answer: json((schemas) => schemas.OneIssue),
    },
    claim: {
      method: 'POST',
      path: '/api/issues/:id/claim',
      access: USE_ISSUES,
      summary: 'Claim an issue for the caller',
      body: forced,
      answer: json((schemas) => schemas.OneIssue),
    },
    release: {
      method: 'POST',
      path: '/api/issues/:id/release',
      access: USE_ISSUES,
      summary: 'Release a claim',
      body: forced,
      answer: json((schemas) => schemas.OneIssue),
    },
    dispatch: {
      method: 'POST',
      path: '/api/issues/:id/dispatch',
      access: USE_ISSUES,
      isCreate: true,
      summary: 'Create a task from an issue and, on request, from the issues that wait for it',
      body: (f) =>
        f.strictObject({
          ...scope(f),
          /** Also what waits for it by `blocks`, and what waits for that. */
          withDependents: f.optional(f.boolean()),
          /** For the tasks. Default: any worker, and a priority by the issue's. */
          ...taskFields(f, ['agentId', 'agentClis', 'priority']),
          dryRun: f.optional(f.boolean()),
          /** A new task though one is not over. */
          again: f.optional(f.boolean()),
          force: f.optional(f.boolean()),
        }),
      answer: json((schemas) => schemas.IssueDispatch),
    },
    explain: {
      method: 'GET',
      path: '/api/issues/:id/explain',
      access: USE_ISSUES,
      summary: 'Explain why an issue is ready or not',
      query: scopeOnly,
      answer: json((schemas) => schemas.IssueExplanation),
    },
    tree: {
      method: 'GET',
      path: '/api/issues/:id/tree',
      access: USE_ISSUES,
      summary: "Get an issue's dependencies or dependents as a tree",
      query: (f) =>
        f.strictObject({
          ...scope(f),
          /** `down`: what it needs (default). `up`: what needs it. */
          direction: f.optional(f.enum(['down', 'up'])),
          /** Default 50. */
          maxDepth: f.optional(f.whole(1, 200)),
        }),
      answer: json((schemas) => schemas.IssueTree),
    },
    history: {
      method: 'GET',
      path: '/api/issues/:id/history',
      access: USE_ISSUES,
      summary: "List an issue's changes, newest first",
      query: (f) => f.strictObject({ ...scope(f), limit: f.optional(f.limit(1_000)) }),
      answer: json((schemas) => schemas.IssueHistory),
    },
    comments: {
      method: 'GET',
      path: '/api/issues/:id/comments',
      access: USE_ISSUES,
      summary: 'List the comments of an issue, oldest first',
      query: scopeOnly,
      answer: json((schemas) => schemas.IssueComments),
    },
    comment: {
      method: 'POST',
      path: '/api/issues/:id/comments',
      access: COMMENT_ISSUE,
      takes: 'large',
      summary: 'Add a comment to an issue',
      body: (f) => f.strictObject({ ...scope(f), text: long(f), author: f.optional(f.text(200)) }),
      answer: json((schemas) => schemas.IssueCommented),
    },
    addDependency: {
      method: 'POST',
      path: '/api/issues/:id/dependencies',
      access: USE_ISSUES,
      summary: 'Make an issue depend on another',
      body: (f) => f.strictObject({ ...scope(f), ...edge(f) }),
      answer: json((schemas) => schemas.OneIssue),
    },
    removeDependency: {
      method: 'DELETE',
      path: '/api/issues/:id/dependencies/:dependsOnId',
      access: USE_ISSUES,
      summary: 'Remove a dependency',
      params: (f) => f.strictObject({ id: f.id(), dependsOnId: f.text(500) }),
      query: scopeOnly,
      answer: json((schemas) => schemas.OneIssue),
    },
  },
  { mayNameNewSession: true },
)
