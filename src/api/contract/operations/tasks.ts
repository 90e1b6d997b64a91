/** Tasks. `null` in a change clears the field. */

import { withoutRuns } from '../../../domain/access/access'
import {
  DIRECT_TASK,
  HOLD_TASK,
  READ_PROMPT,
  READ_TASK,
  READ_TASK_LOG,
  READ_TASK_SESSION,
  RELEASE_TASK,
  WORK_ON_TASK,
} from '../../../domain/access/rules'
import type { SessionId, TaskId, ToolUseId } from '../../../domain/ids'
import { RECALL_MOMENTS } from '../../../domain/recall/recall'
import { ON_CHILD_DONE, RUNGS, SHOWN_TASK_STATUSES } from '../../../domain/task/task'
import { TASK_LIMITS, TASK_RANGES } from '../../../domain/task/task-limits'
import { AGENTS, EVERYONE, LEADS, OPERATOR } from '../callers'
import { type Fields, json, lines, noun } from '../operation'
import { MAX_PAGE_LIMIT, MAX_TASK_COSTS } from '../protocol'
import { retryPolicy, taskFieldChanges, taskFields } from '../task-schemas'

/** An agent's id or name. */
const agent = (f: Fields) => f.text(TASK_LIMITS.word)
/** A model, a type, a mode. */
const option = (f: Fields) => f.text(TASK_LIMITS.word)
const reason = (f: Fields) => f.optional(f.words(TASK_LIMITS.reason))

export const newTask = (f: Fields) =>
  f.strictObject({
    /** What to do. */
    task: f.words(TASK_LIMITS.text).check(f.minLength(1)),
    ...taskFields(f),
    source: f.optional(option(f)),
    parentTaskId: f.optional(f.id()),
    continuity: f.optional(f.enum(['continue', 'fresh'])),
    /** What becomes of it when a task that reports to it ends while it is not at work. */
    onChildDone: f.optional(f.enum(ON_CHILD_DONE)),
    sessionId: f.optional(f.idOf<SessionId>()),
    spawnedBy: f.optional(
      f.strictObject({ sessionId: f.idOf<SessionId>(), toolUseId: f.optional(f.idOf<ToolUseId>()) }),
    ),
    retryPolicy: f.optional(retryPolicy(f)),
    worktree: f.optional(f.union([f.boolean(), f.strictObject({ base: f.optional(option(f)) })])),
    status: f.optional(f.enum(['backlog'])),
    offeredTo: f.optional(agent(f)),
  })

const taskChange = (f: Fields) =>
  f.strictObject({
    task: f.optional(f.words(TASK_LIMITS.text).check(f.minLength(1))),
    ...taskFieldChanges(f),
    retryPolicy: f.optional(retryPolicy(f)),
    status: f.optional(f.enum(['backlog', 'unassigned'])),
  })

const taskFilter = (f: Fields) =>
  f.strictObject({
    status: f.optional(f.array(f.enum(SHOWN_TASK_STATUSES))),
    agentId: f.optional(agent(f)),
    /** The agent CLI of the newest attempt, else the one that the task asks for first. */
    agent: f.optional(f.agentCli()),
    parentTaskId: f.optional(f.id()),
    epicId: f.optional(f.id()),
    issueId: f.optional(f.id()),
    sessionId: f.optional(f.id()),
    tag: f.optional(f.text(TASK_LIMITS.tag)),
    taskType: f.optional(option(f)),
    project: f.optional(f.text(TASK_LIMITS.path)),
    source: f.optional(option(f)),
    /** Words that text, title or id hold. */
    text: f.optional(f.text(1_000)),
    /** `queue`: in the order in which they will be taken. Default `newest`. */
    order: f.optional(f.enum(['newest', 'queue'])),
    ...f.taskTexts(),
    ...f.paging(),
  })

const reasonOnly = (f: Fields) => f.strictObject({ reason: reason(f) })
const claim = (f: Fields) =>
  f.strictObject({ agentId: f.optional(agent(f)), leaseMs: f.optional(f.within(TASK_RANGES.claimLeaseMs)) })

export const tasks = noun('tasks', {
  create: {
    method: 'POST',
    path: '/api/tasks',
    access: EVERYONE,
    takes: 'large',
    isCreate: true,
    summary: 'Create a task',
    body: newTask,
    ids: { issueId: 'issue', epicId: 'issue' },
    mayNameNewSession: true,
    answer: json((schemas) => schemas.CreatedTask),
  },
  list: {
    method: 'GET',
    path: '/api/tasks',
    access: READ_TASK,
    summary: 'List tasks, newest first or in queue order',
    query: taskFilter,
    ids: { issueId: 'issue', epicId: 'issue' },
    mayNameNewSession: true,
    answer: json((schemas) => schemas.TaskPage),
  },
  claimNext: {
    method: 'POST',
    path: '/api/tasks/claim',
    access: AGENTS,
    secrets: 'for workers',
    summary: 'Claim the next task that the agent may take, if there is one',
    body: claim,
    answer: json((schemas) => schemas.ClaimAnswer),
  },
  costs: {
    method: 'GET',
    path: '/api/tasks/costs',
    access: LEADS,
    summary: 'Get the recorded tokens and US dollars of tasks',
    query: (f) =>
      f.strictObject({
        /** Whole ids: a beginning of one names none here. */
        id: f.array(f.idOf<TaskId>()).check(f.minLength(1), f.maxLength(MAX_TASK_COSTS)),
      }),
    ids: 'as given',
    answer: json((schemas) => schemas.TaskCosts),
  },
  get: {
    method: 'GET',
    path: '/api/tasks/:id',
    access: READ_TASK,
    summary: 'Get a task with its attempts, session, children, to-dos, dependencies and questions',
    answer: json((schemas) => schemas.TaskDetail),
  },
  patch: {
    method: 'PATCH',
    path: '/api/tasks/:id',
    access: withoutRuns(DIRECT_TASK),
    takes: 'large',
    summary: 'Change an unfinished task',
    body: taskChange,
    ids: { issueId: 'issue', epicId: 'issue' },
    answer: json((schemas) => schemas.OneTask),
  },
  cancel: {
    method: 'POST',
    path: '/api/tasks/:id/cancel',
    access: DIRECT_TASK,
    summary: 'Cancel a task and stop its run',
    body: reasonOnly,
    answer: json((schemas) => schemas.OneTask),
  },
  pause: {
    method: 'POST',
    path: '/api/tasks/:id/pause',
    access: withoutRuns(HOLD_TASK),
    summary: 'Pause a task; it can continue later',
    body: reasonOnly,
    answer: json((schemas) => schemas.OneTask),
  },
  resume: {
    method: 'POST',
    path: '/api/tasks/:id/resume',
    access: withoutRuns(HOLD_TASK),
    summary: 'Resume a paused task in the same session',
    answer: json((schemas) => schemas.OneTask),
  },
  deploy: {
    method: 'POST',
    path: '/api/tasks/:id/deploy',
    access: withoutRuns(HOLD_TASK),
    summary: 'Make a task available to workers at once, or find its worker; its address stays the same',
    answer: json((schemas) => schemas.Deployed),
  },
  retry: {
    method: 'POST',
    path: '/api/tasks/:id/retry',
    access: withoutRuns(DIRECT_TASK),
    summary: 'Retry a failed or cancelled task',
    body: reasonOnly,
    answer: json((schemas) => schemas.OneTask),
  },
  offer: {
    method: 'POST',
    path: '/api/tasks/:id/offer',
    access: withoutRuns(DIRECT_TASK),
    summary: 'Offer a task to an agent, which may accept or reject it',
    body: (f) => f.strictObject({ agentId: agent(f), expiresInMs: f.optional(f.within(TASK_RANGES.offerMs)) }),
    answer: json((schemas) => schemas.OneTask),
  },
  accept: {
    method: 'POST',
    path: '/api/tasks/:id/accept',
    access: AGENTS,
    secrets: 'for workers',
    summary: 'Accept an offered task',
    body: (f) => f.strictObject({ agentId: f.optional(agent(f)) }),
    answer: json((schemas) => schemas.OneTask),
  },
  reject: {
    method: 'POST',
    path: '/api/tasks/:id/reject',
    access: AGENTS,
    summary: 'Reject an offered task; the agent is not offered it again',
    body: (f) => f.strictObject({ agentId: f.optional(agent(f)), reason: reason(f) }),
    answer: json((schemas) => schemas.OneTask),
  },
  release: {
    method: 'POST',
    path: '/api/tasks/:id/release',
    access: RELEASE_TASK,
    summary: 'Release a task so that others may take it',
    body: reasonOnly,
    answer: json((schemas) => schemas.OneTask),
  },
  progress: {
    method: 'POST',
    path: '/api/tasks/:id/progress',
    access: WORK_ON_TASK,
    takes: 'large',
    summary: "Store a task's progress",
    body: (f) => f.strictObject({ progress: f.words(TASK_LIMITS.progress) }),
    answer: json((schemas) => schemas.OneTask),
  },
  finish: {
    method: 'POST',
    path: '/api/tasks/:id/finish',
    access: WORK_ON_TASK,
    takes: 'large',
    summary: 'Report a task as completed or failed; the first final state wins',
    body: (f) =>
      f.strictObject({
        status: f.enum(['completed', 'failed']),
        output: f.optional(f.words(TASK_LIMITS.output)),
        failureReason: f.optional(f.words(TASK_LIMITS.failureReason)),
        /** What was made: stands below the output. */
        artifacts: f.optional(
          f
            .array(
              f.strictObject({
                name: f.text(300),
                path: f.optional(f.text(TASK_LIMITS.path)),
                url: f.optional(f.text(TASK_LIMITS.path)),
              }),
            )
            .check(f.maxLength(100)),
        ),
      }),
    answer: json((schemas) => schemas.OneTask),
  },
  claim: {
    method: 'POST',
    path: '/api/tasks/:id/claim',
    access: AGENTS,
    secrets: 'for workers',
    summary: 'Claim a specific task',
    body: claim,
    answer: json((schemas) => schemas.ClaimAnswer),
  },
  input: {
    method: 'POST',
    path: '/api/tasks/:id/input',
    access: DIRECT_TASK,
    takes: 'large',
    summary: 'Send input to the running attempt',
    body: (f) =>
      f.strictObject({
        text: f.words(TASK_LIMITS.text).check(f.minLength(1)),
        /** `now` interrupts the turn, `next` arrives after the running tool call (default). */
        urgency: f.optional(f.enum(['now', 'next'])),
      }),
    answer: json((schemas) => schemas.TaskInput),
  },
  setConversation: {
    method: 'PUT',
    path: '/api/tasks/:id/claude-session',
    access: WORK_ON_TASK,
    summary: 'Get the conversation of the running attempt, or the one that the next attempt resumes',
    body: (f) => f.strictObject({ claudeSessionId: f.uuid() }),
    answer: json((schemas) => schemas.OneTask),
  },
  tree: {
    method: 'GET',
    path: '/api/tasks/:id/tree',
    access: READ_TASK,
    summary: 'Get a task with all its descendants',
    query: (f) => f.strictObject(f.taskTexts()),
    answer: json((schemas) => schemas.TaskTree),
  },
  log: {
    method: 'GET',
    path: '/api/tasks/:id/log',
    access: READ_TASK_LOG,
    summary: "Get a task's log after a line, or stream it as server-sent events until the task has ended",
    query: (f) =>
      f.strictObject({
        /** The id of the last line that the reader has; `Last-Event-ID` goes before it. */
        after: f.optional(f.seq()),
        limit: f.optional(f.limit(MAX_PAGE_LIMIT)),
      }),
    answer: lines((schemas) => schemas.TaskLogPage),
  },
  prompt: {
    method: 'GET',
    path: '/api/tasks/:id/prompt',
    access: READ_PROMPT,
    secrets: 'for workers',
    summary: 'Get the first prompt of an attempt for the rung by which it got its conversation',
    query: (f) => f.strictObject({ rung: f.enum(RUNGS) }),
    answer: 'text',
  },
  work: {
    method: 'GET',
    path: '/api/tasks/:id/work',
    access: LEADS,
    summary: "Get what a task changed on its branch, if its worktree is on the server's machine",
    answer: json((schemas) => schemas.TaskWork),
  },
  merge: {
    method: 'POST',
    path: '/api/tasks/:id/work/merge',
    access: OPERATOR,
    summary: "Merge a task's branch on the server's machine, all or nothing",
    /** `commit`: first commit what is in no commit, with the task's title. */
    body: (f) => f.strictObject({ commit: f.optional(f.boolean()) }),
    answer: json((schemas) => schemas.MergedWork),
  },
  drop: {
    method: 'POST',
    path: '/api/tasks/:id/work/drop',
    access: OPERATOR,
    summary: "Remove a task's worktree and its branch on the server's machine, with whatever is in them",
    answer: json((schemas) => schemas.DroppedWork),
  },
  workCopy: {
    method: 'GET',
    path: '/api/tasks/:id/work-copy',
    access: READ_TASK_SESSION,
    summary: "Get what the newest copy of a task's worktree is, or of its parent's",
    answer: json((schemas) => schemas.OneWorkCopy),
  },
  workCopyPart: {
    method: 'GET',
    path: '/api/tasks/:id/work-copy/part',
    access: READ_TASK_SESSION,
    secrets: 'kept',
    summary: 'Get the part of that copy, a Git bundle, that begins at an offset',
    query: (f) => f.strictObject({ offset: f.offset() }),
    answer: 'bytes',
  },
  recall: {
    method: 'GET',
    path: '/api/tasks/:id/recall',
    access: READ_PROMPT,
    summary: 'Get the reminder of a task for its agent at a given moment; empty if there is none',
    query: (f) => f.strictObject({ moment: f.enum(RECALL_MOMENTS) }),
    answer: 'text',
  },
})
