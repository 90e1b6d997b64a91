import * as z from 'zod/mini'
import type { SessionId, TaskId, ToolUseId } from '../../domain/ids'
import { RECALL_MOMENTS } from '../../domain/recall'
import { ON_CHILD_DONE, RUNGS, SHOWN_TASK_STATUSES } from '../../domain/task'
import { MAX_LEASE_MS } from '../../domain/worker-protocol'
import {
  byId,
  cursor,
  id,
  idOf,
  limit,
  nothing,
  paging,
  type RequestSchemas,
  seq,
  taskTexts,
  text,
  time,
  uuid,
  whole,
  words,
} from './request-fields'
import { MAX_PAGE_LIMIT } from './routes'
import { MAX_TASK_COSTS, type TASK_ROUTES } from './task-routes'

const optional = z.optional
/** An agent's id or name. */
const agent = () => text(200)
const priority = () => whole(0, 100)
const names = () => z.array(text(1_000)).check(z.maxLength(1_000))
const ids = () => z.array(id()).check(z.maxLength(10_000))
const milliseconds = () => whole(1, 31_536_000_000)
const reason = () => optional(words())

const retryPolicy = () =>
  z.strictObject({
    maximumAttempts: optional(whole(1, 1_000)),
    initialIntervalMs: optional(whole(0, 86_400_000)),
    backoffCoefficient: optional(z.number('must be a number').check(z.minimum(1), z.maximum(100))),
    maximumIntervalMs: optional(whole(0, 86_400_000)),
  })

const maxTurns = () => whole(1, 100_000)
const maxCostUsd = () => z.number('must be a number').check(z.gt(0), z.maximum(1_000_000))

export const newTask = () =>
  z.strictObject({
    /** What to do. */
    task: words().check(z.minLength(1)),
    title: optional(words()),
    priority: optional(priority()),
    tags: optional(names()),
    source: optional(text(100)),
    taskType: optional(text(100)),
    /** Absolute. */
    dir: optional(text(4_096)),
    agentId: optional(agent()),
    requiredCapabilities: optional(names()),
    parentTaskId: optional(id()),
    continuity: optional(z.enum(['continue', 'fresh'])),
    continueNow: optional(z.boolean()),
    /** What becomes of it when a task that reports to it ends while it is not at work. */
    onChildDone: optional(z.enum(ON_CHILD_DONE)),
    dependsOn: optional(ids()),
    onDependencyFailure: optional(z.enum(['fail', 'wait'])),
    epicId: optional(id()),
    issueId: optional(id()),
    sessionId: optional(idOf<SessionId>()),
    spawnedBy: optional(z.strictObject({ sessionId: idOf<SessionId>(), toolUseId: optional(idOf<ToolUseId>()) })),
    model: optional(text(200)),
    permissionMode: optional(text(100)),
    maxTurns: optional(maxTurns()),
    maxCostUsd: optional(maxCostUsd()),
    timeoutMs: optional(milliseconds()),
    retryPolicy: optional(retryPolicy()),
    worktree: optional(z.union([z.boolean(), z.strictObject({ base: optional(text(1_000)) })])),
    notBefore: optional(time()),
    status: optional(z.enum(['backlog'])),
    offeredTo: optional(agent()),
  })

const taskChange = () =>
  z.strictObject({
    title: optional(words()),
    task: optional(words().check(z.minLength(1))),
    priority: optional(priority()),
    tags: optional(names()),
    taskType: optional(z.nullable(text(100))),
    dir: optional(z.nullable(text(4_096))),
    agentId: optional(z.nullable(agent())),
    requiredCapabilities: optional(names()),
    dependsOn: optional(ids()),
    onDependencyFailure: optional(z.enum(['fail', 'wait'])),
    continueNow: optional(z.boolean()),
    epicId: optional(z.nullable(id())),
    issueId: optional(z.nullable(id())),
    model: optional(z.nullable(text(200))),
    permissionMode: optional(z.nullable(text(100))),
    maxTurns: optional(z.nullable(maxTurns())),
    maxCostUsd: optional(z.nullable(maxCostUsd())),
    timeoutMs: optional(z.nullable(milliseconds())),
    retryPolicy: optional(retryPolicy()),
    notBefore: optional(z.nullable(time())),
    status: optional(z.enum(['backlog', 'unassigned'])),
  })

const taskFilter = () =>
  z.strictObject({
    status: optional(z.array(z.enum(SHOWN_TASK_STATUSES))),
    agentId: optional(agent()),
    parentTaskId: optional(id()),
    epicId: optional(id()),
    issueId: optional(id()),
    sessionId: optional(id()),
    tag: optional(text(1_000)),
    taskType: optional(text(100)),
    project: optional(text(4_096)),
    source: optional(text(100)),
    /** Words that text, title or id hold. */
    text: optional(text(1_000)),
    /** `queue`: in the order in which they will be taken. Default `newest`. */
    order: optional(z.enum(['newest', 'queue'])),
    ...taskTexts(),
    ...paging(),
  })

const reasonOnly = () => z.strictObject({ reason: reason() })
const claim = () => z.strictObject({ agentId: optional(agent()), leaseMs: optional(whole(1_000, MAX_LEASE_MS)) })

/** What goes into requests about tasks. `null` in a change clears the field. */
export const TASK_REQUESTS = {
  'tasks.create': { body: newTask },
  'tasks.list': { query: taskFilter },
  'tasks.claimNext': { body: claim },
  'tasks.costs': {
    query: () =>
      z.strictObject({
        /** Whole ids: a beginning of one names none here. */
        id: z.array(idOf<TaskId>()).check(z.minLength(1), z.maxLength(MAX_TASK_COSTS)),
      }),
  },
  'tasks.get': { params: byId },
  'tasks.patch': { params: byId, body: taskChange },
  'tasks.cancel': { params: byId, body: reasonOnly },
  'tasks.pause': { params: byId, body: reasonOnly },
  'tasks.resume': { params: byId, body: nothing },
  'tasks.deploy': { params: byId, body: nothing },
  'tasks.retry': { params: byId, body: reasonOnly },
  'tasks.offer': {
    params: byId,
    body: () => z.strictObject({ agentId: agent(), expiresInMs: optional(milliseconds()) }),
  },
  'tasks.accept': { params: byId, body: () => z.strictObject({ agentId: optional(agent()) }) },
  'tasks.reject': { params: byId, body: () => z.strictObject({ agentId: optional(agent()), reason: reason() }) },
  'tasks.release': { params: byId, body: reasonOnly },
  'tasks.progress': { params: byId, body: () => z.strictObject({ progress: words() }) },
  'tasks.finish': {
    params: byId,
    body: () =>
      z.strictObject({
        status: z.enum(['completed', 'failed']),
        output: optional(words()),
        failureReason: reason(),
        /** What was made: stands below the output. */
        artifacts: optional(
          z
            .array(z.strictObject({ name: text(300), path: optional(text(4_096)), url: optional(text(4_096)) }))
            .check(z.maxLength(100)),
        ),
      }),
  },
  'tasks.claim': { params: byId, body: claim },
  'tasks.input': {
    params: byId,
    body: () =>
      z.strictObject({
        text: words().check(z.minLength(1)),
        /** `now` interrupts the turn, `next` arrives after the running tool call (default). */
        urgency: optional(z.enum(['now', 'next'])),
      }),
  },
  'tasks.setConversation': { params: byId, body: () => z.strictObject({ claudeSessionId: uuid() }) },
  'tasks.tree': { params: byId, query: () => z.strictObject(taskTexts()) },
  'tasks.log': {
    params: byId,
    query: () =>
      z.strictObject({
        /** The id of the last line that the reader has; `Last-Event-ID` goes before it. */
        after: optional(seq()),
        limit: optional(limit(MAX_PAGE_LIMIT)),
      }),
  },
  'tasks.prompt': { params: byId, query: () => z.strictObject({ rung: z.enum(RUNGS) }) },
  'tasks.recall': { params: byId, query: () => z.strictObject({ moment: z.enum(RECALL_MOMENTS) }) },
  'epics.create': {
    body: () =>
      z.strictObject({
        title: words().check(z.minLength(1)),
        description: optional(words()),
        /** 0 (highest) to 4. */
        priority: optional(whole(0, 4)),
      }),
  },
  'epics.list': { query: () => z.strictObject({ limit: optional(limit(100)), cursor: optional(cursor()) }) },
  'epics.get': { params: byId },
  'epics.createTask': { params: byId, body: newTask },
  'questions.list': {
    query: () =>
      z.strictObject({
        taskId: optional(id()),
        status: optional(z.enum(['open', 'answered', 'expired', 'withdrawn'])),
        ...paging(),
      }),
  },
  'questions.answer': {
    params: byId,
    body: () => z.strictObject({ behavior: z.enum(['allow', 'deny']), message: optional(words()) }),
  },
} satisfies Record<keyof typeof TASK_ROUTES, RequestSchemas>
