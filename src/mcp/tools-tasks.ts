import * as z from 'zod/mini'
import type { Client } from '../api/client'
import { CALLER_KINDS } from '../api/contract/callers'
import type { Answers } from '../api/contract/operations'
import { AppError } from '../domain/errors'
import type { TaskId } from '../domain/ids'
import { SHOWN_TASK_STATUSES, type Task } from '../domain/task/task'
import { inline } from '../util/quote'
import type { ToolHost } from './host'
import { taskLine, taskText } from './present'
import { agentFieldNames, taskArguments } from './task-arguments'
import { choice, defineTool, flag, list, optional, text, whole } from './tool'
import { awaitedText, awaitTasks } from './wait'

/** A task of a plan. What is left out is as the call says for all. */
const planTask = () =>
  z.strictObject({
    key: text('Its name in this plan'),
    task: text('What to do'),
    ...taskArguments(['title', 'agentId', 'dir', 'issueId', 'requiredCapabilities']),
    dependsOn: optional(list('Keys or IDs of tasks that must be completed first')),
  })

export const sendTask = defineTool({
  name: 'send-task',
  description:
    "Queues a task for another agent, or several (`tasks`: a plan, all or none). With `parentTaskId` the child continues the parent's conversation; it goes to the same worker unless `agentId` is given. It works in the parent's folder, else in yours, unless `dir` names another. It runs in the background: results come to you as messages, await-tasks waits for them.",
  callers: CALLER_KINDS,
  isAlwaysShown: true,
  input: {
    task: optional(text('What to do, complete in itself: files, branches, what done means')),
    tasks: optional(z.array(planTask()).check(z.minLength(1), z.describe('Instead of task: a plan, at most 500'))),
    ...taskArguments(agentFieldNames),
    parentTaskId: optional(text('Continue the conversation of this task')),
    continuity: optional(
      choice(
        ['continue', 'fresh'],
        'fresh: under the parent, without its conversation. Default continue with parentTaskId',
      ),
    ),
    offeredTo: optional(text('Offer it to this agent, which may accept or reject')),
    worktree: optional(flag('Run in a git worktree of its own')),
    background: optional(flag('false: as wait')),
    wait: optional(flag('Wait for the results, up to waitMs')),
    waitMs: optional(whole('Default 45000, at most 600000')),
  },
  async run({ tasks, task, background, wait, waitMs, ...args }, call) {
    const { host, client, folder, toolUseId } = call
    if (task === undefined && tasks === undefined)
      throw new AppError('invalid', 'Pass either `task` or `tasks`.', {
        hint: '`task` is one task with its fields; `tasks` is a plan.',
      })
    if (task !== undefined && tasks !== undefined)
      throw new AppError('invalid', 'Pass either `task` or `tasks`, not both.', { hint: 'Make it one of the tasks.' })
    const session = host.sessionId ?? (await sessionOfRun(client, host.taskId))
    const common = {
      source: 'mcp',
      ...(session !== null && { spawnedBy: { sessionId: session, ...(toolUseId !== null && { toolUseId }) } }),
      ...(session !== null && host.taskId === null && { sessionId: session }),
    }
    // The CLI sends a call again when its connection broke: the model's id of it makes that one task.
    const options = session !== null && toolUseId !== null ? { idempotencyKey: `mcp ${session} ${toolUseId}` } : {}
    // What a run spawns hangs under it and begins fresh, unless it names the conversation to continue.
    const parent = args.parentTaskId ?? host.taskId ?? undefined
    // A run's folder the server knows, and a parent's.
    const place = parent === undefined && folder !== null ? { dir: folder } : {}
    const isWaiting = wait === true || background === false
    const outcome = async (ids: string[]) =>
      isWaiting ? `\n${awaitedText(await awaitTasks(call, { ids, waitMs }))}` : ''
    if (tasks !== undefined) {
      const { title, parentTaskId: _, ...shared } = args
      const plan = {
        ...common,
        tasks: tasks.map((one) => ({ ...place, ...shared, ...one })),
        ...(title !== undefined && { title }),
        ...(parent !== undefined && { parentTaskId: parent }),
      }
      const made = await client.plans.create(plan, options)
      return `${planText(made)}${await outcome(made.tasks.map(({ id }) => id))}`
    }
    const continuity =
      args.continuity ?? (parent === undefined ? undefined : args.parentTaskId === undefined ? 'fresh' : 'continue')
    const input = { ...place, ...args, ...common, task: task ?? '', parentTaskId: parent, continuity }
    const created = await client.tasks.create(input, options)
    return `${createdText(created)}${await outcome([created.task.id])}`
  },
})

/** Tasks of a plan that are listed. */
const PLAN_LISTED = 100

function planText({ plan, tasks, isRepeat }: Answers['plans']['create']): string {
  const lines = tasks.slice(0, PLAN_LISTED).map((task) => {
    const after = task.dependsOn.length === 0 ? '' : ` after ${task.dependsOn.join(', ')}`
    return `${inline(task.planKey ?? '', 100)}: ${taskLine(task)}${after}`
  })
  if (tasks.length > PLAN_LISTED) lines.push(`and ${tasks.length - PLAN_LISTED} more`)
  const head = `${isRepeat ? 'Was created before' : 'Created'}: plan ${plan.id} with ${tasks.length} tasks. await-tasks waits for their results.`
  return [head, ...lines].join('\n')
}

async function sessionOfRun(client: Client, taskId: TaskId | null) {
  return taskId === null ? null : (await client.tasks.get(taskId)).task.claudeSessionId
}

function createdText({ task, routed, isRepeat }: { task: Task; routed: string | null; isRepeat: boolean }): string {
  return [
    `${isRepeat ? 'Was created before' : 'Created'}: ${taskLine(task)}`,
    routed === null ? '' : `Routed automatically: ${routed}`,
    task.parentTaskId === null
      ? ''
      : task.continuity === 'continue'
        ? `Continues the conversation of ${task.parentTaskId}.`
        : `Under ${task.parentTaskId}, with a conversation of its own.`,
    task.waitingFor === null ? '' : `It waits for: ${task.waitingFor} (${task.reason})`,
  ]
    .filter((line) => line !== '')
    .join('\n')
}

export const getTask = defineTool({
  name: 'get-task',
  description: 'Shows a task: state, attempts, progress, output, children. Within a run without `id`: its own.',
  callers: CALLER_KINDS,
  isReadOnly: true,
  input: { id: optional(text('Task id, or a unique beginning')) },
  run: async ({ id }, { host, client }) => taskText(await client.tasks.get(id ?? own(host))),
})

export const listTasks = defineTool({
  name: 'list-tasks',
  description: 'Lists tasks, newest first, one line each.',
  callers: CALLER_KINDS,
  isReadOnly: true,
  input: {
    status: optional(list(`Of: ${SHOWN_TASK_STATUSES.join(', ')}`)),
    parentTaskId: optional(text('Children of this task')),
    agentId: optional(text('Of this agent (id or name)')),
    epicId: optional(text('Of this epic')),
    tag: optional(text('With this tag')),
    text: optional(text('Words that title or text hold')),
    order: optional(choice(['newest', 'queue'], 'queue: as they will be taken')),
    limit: optional(whole('Default 30, at most 200')),
    cursor: optional(text('Where the page before ended')),
  },
  async run({ limit = 30, status, ...filter }, { client }) {
    const statuses = status?.map((word) => {
      const known = SHOWN_TASK_STATUSES.find((one) => one === word)
      if (known === undefined)
        throw new AppError('invalid', `${word.slice(0, 40)} is not a status.`, {
          hint: `Use ${SHOWN_TASK_STATUSES.join(', ')}.`,
        })
      return known
    })
    const page = await client.tasks.list({
      ...filter,
      ...(statuses && { status: statuses }),
      limit: Math.min(Math.max(limit, 1), 200),
      // A line has no place for them.
      textLimit: 0,
    })
    const lines = page.tasks.map(taskLine)
    if (page.nextCursor !== null) lines.push(`There are more: cursor ${page.nextCursor}`)
    return lines.length === 0 ? 'No task.' : lines.join('\n')
  },
})

export const cancelTask = defineTool({
  name: 'cancel-task',
  description: 'Cancels a task and ends its run.',
  callers: CALLER_KINDS,
  input: { id: text('Task id'), reason: optional(text('For the record')) },
  async run({ id, reason }, { client }) {
    const { task } = await client.tasks.cancel(id, reason === undefined ? {} : { reason })
    return `Cancelled: ${taskLine(task)}`
  },
})

export const storeProgress = defineTool({
  name: 'store-progress',
  description:
    'Keeps where a task stands, in a sentence or two. Survives compaction, crash and restart. Within a run: of its own task.',
  callers: CALLER_KINDS,
  isAlwaysShown: true,
  input: { progress: text('Replaces what was stored before'), id: optional(text('Task id; not needed within a run')) },
  async run({ progress, id }, { host, client }) {
    const { task } = await client.tasks.progress(id ?? own(host), { progress })
    return `Stored for ${task.id}.`
  },
})

const artifact = () =>
  z.strictObject({ name: text('What it is'), path: optional(text('File')), url: optional(text('Address')) })

export const finishTask = defineTool({
  name: 'finish-task',
  description:
    'Says that a task is done, or that it failed. Once, at the end: the first final state counts. Within a run: its own task.',
  callers: CALLER_KINDS,
  isAlwaysShown: true,
  input: {
    output: optional(text('What the requester reads: the result, what changed, what is open')),
    status: optional(choice(['completed', 'failed'], 'Default completed')),
    failureReason: optional(text('With failed: why')),
    artifacts: optional(z.array(artifact()).check(z.describe('What was made, at most 100'))),
    id: optional(text('Task id; not needed within a run')),
  },
  async run({ status = 'completed', output, failureReason, artifacts, id }, { host, client }) {
    const { task } = await client.tasks.finish(id ?? own(host), {
      status,
      ...(output !== undefined && { output }),
      ...(failureReason !== undefined && { failureReason }),
      ...(artifacts !== undefined && { artifacts }),
    })
    return `${taskLine(task)}. Nothing more is needed for it.`
  },
})

function own({ taskId }: ToolHost): string {
  if (taskId !== null) return taskId
  throw new AppError('invalid', 'Pass the `id` of a task.', { hint: 'Only a run has a task of its own.' })
}
