import { AppError, isAppError } from '../../../domain/errors'
import { isLiveTask, type Task } from '../../../domain/task/task'
import { usageError } from '../../kit/arguments/parse-args'
import { defineCommand } from '../../kit/command'
import type { Context } from '../../kit/context'
import { CREATE_OPTIONS, createRequest, TEXT_ARG } from '../../tasks/create-task'
import { openRunStage, type RunStage } from '../../tasks/run-stage'
import { runLive, showOutcome } from '../../tasks/run-task'
import { hasEnded, logEnd, outcomeCode } from '../../tasks/wait-task'

const { assign: _assign, offer: _offer, backlog: _backlog, ...OPTIONS } = CREATE_OPTIONS

export const command = defineCommand({
  summary: 'Create a task, run it in this process and show it live',
  details: [
    "The exit code is the task's outcome: 0 completed, 21 failed, 22 cancelled, 23 paused. Ctrl-C pauses the task; a second one cancels",
    'it. Uses the server running here, or starts one for the duration of the run.',
    'With --json, each log entry is one JSON document per line, and the last line is {task}. With --quiet, only the output of the task',
    'is shown.',
  ].join('\n'),
  args: [{ ...TEXT_ARG, isOptional: true }],
  options: {
    ...OPTIONS,
    task: {
      kind: 'text',
      value: 'ID',
      help: 'continue this paused, failed or unstarted task instead of creating one',
    },
  },
  examples: [
    { line: "lode run 'Fix the failing tests'", does: 'run a task in this folder until it has finished' },
    { line: "lode run 'Now write the changelog' --parent t-7f3k", does: "continue in that task's conversation" },
    { line: 'lode run --task t-7f3k9q2m', does: 'continue a paused task' },
  ],
  async run(context, { args: [text], options }) {
    if ((text === undefined) === (options.task === undefined))
      throw usageError(context.path)('Pass either a TEXT or --task with the ID of a task.')
    refuseWithinRun(context.io.env)
    const stage = await openRunStage(context)
    let task: Task
    try {
      const begun = options.task === undefined ? await create(stage) : await adopt(stage, options.task)
      context.note(`task ${begun.task.id}: ${begun.task.title}`)
      task = await runLive(context, stage, begun.task, begun.after)
      task = await settle(context, stage, task)
    } finally {
      await stage.close()
    }
    showOutcome(context, task)
    return outcomeCode([task])

    async function create({ connection, worker }: RunStage): Promise<Begun> {
      const values = { ...options, assign: worker.agentId, offer: undefined, backlog: false }
      const request = await createRequest(context, connection, text ?? '', values)
      const { key } = options
      const created = await connection.client.tasks.create(request, key === undefined ? {} : { idempotencyKey: key })
      return { task: created.task, after: 0 }
    }
  },
})

interface Begun {
  task: Task
  /** The last line of its log that is not to be shown again. */
  after: number
}

/** Makes an existing task this worker's. */
async function adopt({ connection: { client }, worker }: RunStage, id: string): Promise<Begun> {
  const { task, lines } = await logEnd(client, id)
  const after = lines.at(-1)?.id ?? 0
  if (task.status === 'completed') {
    throw new AppError('conflict', `Task ${task.id} is already completed.`, {
      hint: `To follow up, run 'lode run TEXT --parent ${task.id}'.`,
    })
  }
  if (isLiveTask(task.status)) {
    throw new AppError('conflict', `Task ${task.id} is already running.`, {
      hint: `Watch it with 'lode task log ${task.id} --follow', or pause it first with 'lode task pause ${task.id}'.`,
    })
  }
  const waiting = hasEnded(task) ? (await client.tasks.retry(task.id, { reason: 'lode run' })).task : task
  const status = waiting.status === 'backlog' ? ('unassigned' as const) : undefined
  try {
    const given = await client.tasks.patch(task.id, { agentId: worker.agentId, status })
    const ready = given.task.status === 'paused' ? await client.tasks.resume(task.id) : given
    return { task: ready.task, after }
  } catch (error) {
    if (!isAppError(error) || error.code !== 'conflict') throw error
    // Another worker was there first: what it does is shown all the same.
    const { task: taken } = await client.tasks.get(task.id)
    if (!isLiveTask(taken.status)) throw error
    return { task: taken, after }
  }
}

/** Lets a run end that said itself that it is done, and frees a paused task for other workers. */
async function settle(context: Context, { connection: { client }, worker }: RunStage, task: Task): Promise<Task> {
  if (task.status === 'completed' || task.status === 'failed')
    await Promise.race([worker.idle(), aborted(context.signal)])
  try {
    // The second Ctrl-C may have come when it was paused already.
    const isUnwanted = context.takeSecondSignal().aborted
    if (task.status === 'paused' && isUnwanted) return (await client.tasks.cancel(task.id, { reason: 'Ctrl-C' })).task
    if (task.status === 'paused') return (await client.tasks.patch(task.id, { agentId: null })).task
  } catch (error) {
    // Somebody else moved it meanwhile.
    if (!isAppError(error) || error.code !== 'conflict') throw error
  }
  return (await client.tasks.get(task.id)).task
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

/** An agent that ran a task in its own tool call would wait for itself. */
function refuseWithinRun(env: Readonly<Record<string, string | undefined>>): void {
  if (!env.LODELINE_TOKEN || !env.LODELINE_TASK_ID) return
  throw new AppError('conflict', "A running task can't start another run.", {
    hint: "Queue it with 'lode task create TEXT'. If you need its result, wait with 'lode task wait ID'.",
  })
}
