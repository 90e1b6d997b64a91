import * as z from 'zod/mini'
import type { SessionId } from '../../domain/ids'
import { STATUS_CATEGORIES } from '../../domain/issue'
import { ISSUE_ORDERS } from '../../domain/issue-store'
import type { ISSUE_ROUTES } from './issue-routes'
import { cursor, id, idOf, limit, type RequestSchemas, text, time, whole, words } from './request-fields'

const optional = z.optional

/** Which tracker is meant, and what an operator's command says of itself. */
const scope = () => ({
  /** Absolute, on the server's machine: a folder of the project. */
  dir: optional(text(4_096)),
  actor: optional(text(200)),
  /** The calling session. */
  sessionId: optional(idOf<SessionId>()),
})
const scopeOnly = () => z.strictObject(scope())

const byId = () => z.strictObject({ id: id() })
const status = () => z.strictObject({ name: text(100), category: z.nullable(z.enum(STATUS_CATEGORIES)) })
const list = () => z.array(text(500)).check(z.maxLength(500))
const ids = () => z.array(id()).check(z.maxLength(1_000))
const priority = () => whole(0, 4)
const rows = () => limit(100_000)
const reason = () => optional(words())
const edge = () => ({
  dependsOnId: text(500),
  /** Default `blocks`. */
  type: optional(text(100)),
  /** JSON as text. */
  metadata: optional(words()),
})
const extra = () => z.record(z.string(), z.unknown())

const fields = () => ({
  description: optional(words()),
  design: optional(words()),
  acceptanceCriteria: optional(words()),
  notes: optional(words()),
  status: optional(text(100)),
  priority: optional(priority()),
  issueType: optional(text(100)),
  labels: optional(list()),
})

const newIssue = () =>
  z.strictObject({
    ...scope(),
    ...fields(),
    title: words(),
    specId: optional(words()),
    assignee: optional(words()),
    owner: optional(words()),
    estimatedMinutes: optional(z.number('must be a number')),
    dueAt: optional(time()),
    deferUntil: optional(time()),
    externalRef: optional(words()),
    parentId: optional(id()),
    dependencies: optional(z.array(z.strictObject(edge())).check(z.maxLength(1_000))),
    blocks: optional(ids()),
    id: optional(id()),
    prefix: optional(text(50)),
    extra: optional(extra()),
  })

const issueChange = () =>
  z.strictObject({
    ...scope(),
    ...fields(),
    title: optional(words()),
    appendNotes: optional(words()),
    specId: optional(z.nullable(words())),
    assignee: optional(z.nullable(words())),
    owner: optional(z.nullable(words())),
    estimatedMinutes: optional(z.nullable(z.number('must be a number'))),
    dueAt: optional(z.nullable(time())),
    deferUntil: optional(z.nullable(time())),
    externalRef: optional(z.nullable(words())),
    addLabels: optional(list()),
    removeLabels: optional(list()),
    parentId: optional(z.nullable(id())),
    activeTaskSession: optional(z.nullable(idOf<SessionId>())),
    extra: optional(extra()),
    /** Keys that are put into `metadata`; `null` takes one out. */
    metadata: optional(extra()),
    claim: optional(z.boolean()),
    force: optional(z.boolean()),
    /** `updatedAt` of what the caller saw: an issue that somebody changed since is left as it is. */
    ifUpdatedAt: optional(text(100)),
  })

const readyFields = () => ({
  types: optional(list()),
  priorities: optional(z.array(priority())),
  assignee: optional(text(500)),
  noAssignee: optional(z.boolean()),
  labels: optional(list()),
  anyLabels: optional(list()),
  parentId: optional(id()),
})

const issueFilter = () =>
  z.strictObject({
    ...scope(),
    ...readyFields(),
    statuses: optional(list()),
    /** With what is done. */
    all: optional(z.boolean()),
    priorityMin: optional(priority()),
    priorityMax: optional(priority()),
    noLabels: optional(z.boolean()),
    noParent: optional(z.boolean()),
    /** Words that id or title hold. */
    text: optional(text(1_000)),
    /** Looks for them in the long texts as well. */
    isDeep: optional(z.boolean()),
    createdAfter: optional(time()),
    createdBefore: optional(time()),
    updatedAfter: optional(time()),
    updatedBefore: optional(time()),
    closedAfter: optional(time()),
    closedBefore: optional(time()),
    dueBefore: optional(time()),
    isDeferred: optional(z.boolean()),
    isBlocked: optional(z.boolean()),
    /** Only issues that the file has no longer. */
    isAbsent: optional(z.boolean()),
    activeSession: optional(idOf<SessionId>()),
    order: optional(z.enum(ISSUE_ORDERS)),
    isReversed: optional(z.boolean()),
    limit: optional(rows()),
    cursor: optional(cursor()),
  })

const forced = () => z.strictObject({ ...scope(), force: optional(z.boolean()) })

/** What goes into requests about issues. `null` in a change clears the field. */
export const ISSUE_REQUESTS = {
  'issues.create': { body: newIssue },
  'issues.list': { query: issueFilter },
  'issues.ready': { query: () => z.strictObject({ ...scope(), ...readyFields(), limit: optional(rows()) }) },
  'issues.blocked': { query: () => z.strictObject({ ...scope(), limit: optional(rows()) }) },
  'issues.stats': { query: scopeOnly },
  'issues.lint': { query: () => z.strictObject({ ...scope(), types: optional(list()) }) },
  'issues.cycles': { query: scopeOnly },
  'issues.epics': { query: scopeOnly },
  'issues.labels': { query: scopeOnly },
  'issues.trackers': {},
  'issues.export': { query: scopeOnly },
  'issues.import': {
    body: () =>
      z.strictObject({
        ...scope(),
        /** Lines of issues; or `path`. */
        text: optional(words()),
        /** A file on the server's machine, absolute. */
        path: optional(text(4_096)),
        dryRun: optional(z.boolean()),
      }),
  },
  'issues.sync': { body: () => z.strictObject({ ...scope(), restore: optional(z.boolean()) }) },
  'issues.statusList': { query: scopeOnly },
  'issues.statuses': {
    body: () =>
      z.strictObject({
        ...scope(),
        /** One of these three: all of them, one more or said anew, or the name of one that goes. */
        statuses: optional(z.array(status())),
        put: optional(status()),
        remove: optional(text(100)),
      }),
  },
  'issues.claimNext': { body: () => z.strictObject({ ...scope(), ...readyFields() }) },
  'issues.get': { params: byId, query: scopeOnly },
  'issues.update': { params: byId, body: issueChange },
  'issues.delete': {
    params: byId,
    query: () =>
      z.strictObject({
        ...scope(),
        confirm: optional(z.boolean()),
        /** With everything below it. */
        cascade: optional(z.boolean()),
        reason: optional(text(10_000)),
      }),
  },
  'issues.close': {
    params: byId,
    body: () => z.strictObject({ ...scope(), reason: reason(), force: optional(z.boolean()) }),
  },
  'issues.reopen': { params: byId, body: () => z.strictObject({ ...scope(), reason: reason() }) },
  'issues.claim': { params: byId, body: forced },
  'issues.release': { params: byId, body: forced },
  'issues.dispatch': {
    params: byId,
    body: () =>
      z.strictObject({
        ...scope(),
        /** Also what waits for it by `blocks`, and what waits for that. */
        withDependents: optional(z.boolean()),
        /** Id or name; default the pool. */
        agentId: optional(text(200)),
        /** Of the tasks; default by the issue's. */
        priority: optional(whole(0, 100)),
        dryRun: optional(z.boolean()),
        /** A new task though one is not over. */
        again: optional(z.boolean()),
        force: optional(z.boolean()),
      }),
  },
  'issues.explain': { params: byId, query: scopeOnly },
  'issues.tree': {
    params: byId,
    query: () =>
      z.strictObject({
        ...scope(),
        /** `down`: what it needs (default). `up`: what needs it. */
        direction: optional(z.enum(['down', 'up'])),
        /** Default 50. */
        maxDepth: optional(whole(1, 200)),
      }),
  },
  'issues.history': { params: byId, query: () => z.strictObject({ ...scope(), limit: optional(limit(1_000)) }) },
  'issues.comments': { params: byId, query: scopeOnly },
  'issues.comment': {
    params: byId,
    body: () => z.strictObject({ ...scope(), text: words(), author: optional(text(200)) }),
  },
  'issues.addDependency': { params: byId, body: () => z.strictObject({ ...scope(), ...edge() }) },
  'issues.removeDependency': {
    params: () => z.strictObject({ id: id(), dependsOnId: text(500) }),
    query: scopeOnly,
  },
} satisfies Record<keyof typeof ISSUE_ROUTES, RequestSchemas>
