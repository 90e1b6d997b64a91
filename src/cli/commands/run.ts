import { AppError, isAppError } from '../../domain/errors'
import { isLiveTask, type Task } from '../../domain/task'
import { defineCommand } from '../command'
import type { Context } from '../context'
import { CREATE_OPTIONS, createRequest, TEXT_ARG } from '../create-task'
import { usageError } from '../parse-args'
import { openRunStage, type RunStage } from '../run-stage'
import { runLive, showOutcome } from '../run-task'
import { isFinal, logEnd, outcomeCode } from '../wait-task'

const { agent: _agent, offer: _offer, backlog: _backlog, ...OPTIONS } = CREATE_OPTIONS

export const command = defineCommand({
  summary: 'Run a task here and now: create it, work on it in this process, show it live',
  details: [
    'The exit code is its outcome: 0 completed, 21 failed, 22 cancelled, 23 paused. Ctrl-C pauses the task, a second one cancels it.',
    'Uses the server that runs here; without one it starts its own for the time of the run.',
    "With --json each line of the log is one JSON document on one line, and the last one is {task}; with --quiet only the task's",
    'output is shown.',
  ].join('\n'),
  args: [{ ...TEXT_ARG, isOptional: true }],
  options: {
    ...OPTIONS,
    task: {
      kind: 'text',
      value: 'ID',
      help: 'go on with this task instead of a new one: paused, failed, or not begun',
    },
  },
  examples: [
    { line: "lode run 'Fix the failing tests'", does: 'in this folder, until it is done' },
    { line: "lode run 'Now write the changelog' --parent t-7f3k", does: "in that task's conversation" },
    { line: 'lode run --task t-7f3k9q2m', does: 'goes on with a task that was paused' },
  ],
  async run(context, { args: [text], options }) {
    if ((text === undefined) === (options.task === undefined))
      throw usageError(context.path)('Give a TEXT, or --task with the id of one.')
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
      const values = { ...options, agent: worker.agentId, offer: undefined, backlog: false }
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
    throw new AppError('conflict', `${task.id} is completed.`, {
      hint: `Follow it up with 'lode run TEXT --parent ${task.id}'.`,
    })
  }
  if (isLiveTask(task.status)) {
    throw new AppError('conflict', `${task.id} is at work already.`, {
      hint: `Watch it with 'lode task log ${task.id} --follow', or pause it first with 'lode task pause ${task.id}'.`,
    })
  }
  const waiting = isFinal(task) ? (await client.tasks.retry(task.id, { reason: 'lode run' })).task : task
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
  throw new AppError('conflict', 'Within a run of a task no other run is started.', {
    hint: "Queue it with 'lode task create TEXT', and wait with 'lode task wait ID' where its result is needed.",
  })
}
