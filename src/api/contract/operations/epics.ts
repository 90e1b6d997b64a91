/** Epics, on which tasks hang. */
import type { SessionId, ToolUseId } from '../../../domain/ids'
import { ON_CHILD_DONE } from '../../../domain/task/task'
import { MAX_TASK_COST_USD, TASK_LIMITS, TASK_RANGES } from '../../../domain/task/task-limits'
import { AGENTS, EVERYONE } from '../callers'
import { type Fields, json, noun } from '../operation'

/** An agent's id or name. */
const agent = (f: Fields) => f.text(TASK_LIMITS.word)
/** A model, a type, a mode. */
const option = (f: Fields) => f.text(TASK_LIMITS.word)
const priority = (f: Fields) => f.within(TASK_RANGES.priority)
const tags = (f: Fields) => f.listOf(f.words(TASK_LIMITS.tag), TASK_LIMITS.tags)
const capabilities = (f: Fields) => f.listOf(f.words(TASK_LIMITS.tag), TASK_LIMITS.capabilities)
/** Counted before any is looked up. */
const dependencies = (f: Fields) => f.array(f.id()).check(f.maxLength(TASK_LIMITS.dependsOn))
const timeoutMs = (f: Fields) => f.within(TASK_RANGES.timeoutMs)

const { backoffCoefficient: backoff } = TASK_RANGES

const retryPolicy = (f: Fields) =>
  f.strictObject({
    maximumAttempts: f.optional(f.within(TASK_RANGES.maximumAttempts)),
    initialIntervalMs: f.optional(f.within(TASK_RANGES.retryIntervalMs)),
    backoffCoefficient: f.optional(
      f.number('must be a number').check(f.minimum(backoff.least), f.maximum(backoff.most)),
    ),
    maximumIntervalMs: f.optional(f.within(TASK_RANGES.retryIntervalMs)),
  })

const maxTurns = (f: Fields) => f.within(TASK_RANGES.maxTurns)
const maxCostUsd = (f: Fields) => f.number('must be a number').check(f.gt(0), f.maximum(MAX_TASK_COST_USD))

export const newTask = (f: Fields) =>
  f.strictObject({
    /** What to do. */
    task: f.words(TASK_LIMITS.text).check(f.minLength(1)),
    title: f.optional(f.words(TASK_LIMITS.title)),
    priority: f.optional(priority(f)),
    tags: f.optional(tags(f)),
    source: f.optional(option(f)),
    taskType: f.optional(option(f)),
    /** Absolute. */
    dir: f.optional(f.text(TASK_LIMITS.path)),
    agentId: f.optional(agent(f)),
    requiredCapabilities: f.optional(capabilities(f)),
    parentTaskId: f.optional(f.id()),
    continuity: f.optional(f.enum(['continue', 'fresh'])),
    continueNow: f.optional(f.boolean()),
    /** What becomes of it when a task that reports to it ends while it is not at work. */
    onChildDone: f.optional(f.enum(ON_CHILD_DONE)),
    dependsOn: f.optional(dependencies(f)),
    onDependencyFailure: f.optional(f.enum(['fail', 'wait'])),
    epicId: f.optional(f.id()),
    issueId: f.optional(f.id()),
    sessionId: f.optional(f.idOf<SessionId>()),
    spawnedBy: f.optional(
      f.strictObject({ sessionId: f.idOf<SessionId>(), toolUseId: f.optional(f.idOf<ToolUseId>()) }),
    ),
    model: f.optional(option(f)),
    permissionMode: f.optional(option(f)),
    maxTurns: f.optional(maxTurns(f)),
    maxCostUsd: f.optional(maxCostUsd(f)),
    timeoutMs: f.optional(timeoutMs(f)),
    retryPolicy: f.optional(retryPolicy(f)),
    worktree: f.optional(f.union([f.boolean(), f.strictObject({ base: f.optional(option(f)) })])),
    notBefore: f.optional(f.time()),
    status: f.optional(f.enum(['backlog'])),
    offeredTo: f.optional(agent(f)),
  })

export const epics = noun('epics', {
  create: {
    method: 'POST',
    path: '/api/epics',
    access: AGENTS,
    isCreate: true,
    summary: 'Create an epic',
    body: (f) =>
      f.strictObject({
        title: f.words(TASK_LIMITS.title).check(f.minLength(1)),
        description: f.optional(f.words(TASK_LIMITS.text)),
        /** 0 (highest) to 4. */
        priority: f.optional(f.within(TASK_RANGES.epicPriority)),
      }),
    answer: json((schemas) => schemas.OneEpic),
  },
  list: {
    method: 'GET',
    path: '/api/epics',
    access: EVERYONE,
    summary: 'List epics with their task counts by status',
    query: (f) => f.strictObject({ limit: f.optional(f.limit(100)), cursor: f.optional(f.cursor()) }),
    answer: json((schemas) => schemas.EpicPage),
  },
  get: {
    method: 'GET',
    path: '/api/epics/:id',
    access: EVERYONE,
    summary: 'Get an epic with its task counts by status',
    answer: json((schemas) => schemas.EpicDetail),
  },
  createTask: {
    method: 'POST',
    path: '/api/epics/:id/tasks',
    access: AGENTS,
    takes: 'large',
    isCreate: true,
    summary: 'Create a task in an epic',
    body: newTask,
    ids: { issueId: 'issue', epicId: 'issue' },
    mayNameNewSession: true,
    answer: json((schemas) => schemas.CreatedTask),
  },
})
