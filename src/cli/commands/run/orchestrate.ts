import { AppError } from '../../../domain/errors'
import { LEAD_TASK_TYPE, type Task } from '../../../domain/task/task'
import { usageError } from '../../kit/arguments/parse-args'
import { defineCommand } from '../../kit/command'
import type { Context } from '../../kit/context'
import { endStatus, tellQuestions, terminalStatus } from '../../kit/terminal-status'
import { block } from '../../print/text'
import { TEXT_ARG, taskText } from '../../tasks/create-task'
import {
  adoptTree,
  cancelTree,
  goneRunWorkers,
  pauseTree,
  readTree,
  resumeTree,
  type TreeState,
} from '../../tasks/keep-tree'
import { liveTree } from '../../tasks/live-tree'
import { openRunStage, type RunStage } from '../../tasks/run-stage'
import { showQuestions } from '../../tasks/show-questions'
import { taskLine } from '../../tasks/task-move'
import { hasEnded, isSettled, outcomeCode } from '../../tasks/wait-task'

/** Between two looks at the tree that no change asked for. */
const TREE_LOOK_MS = 2_000
/** Changes that come together are looked at together. */
const TOGETHER_MS = 150
/** What is to be paused has this long to do so before it is left. */
const LEAVE_MS = 15_000

export const command = defineCommand({
  summary: 'Run a lead agent with its own workers and show its task tree live',
  details: [
    'The lead delegates tasks with its tools. The workers of this command take them unless the lead names another agent. Exit codes are',
    "the lead's outcome: 0 completed, 21 failed, 22 cancelled, 23 paused. Ctrl-C pauses the whole tree; a second one cancels it.",
    'Uses the server running here, or starts one for the duration of the run. Everything is kept: after a crash or a pause,',
    'continue with --resume.',
  ].join('\n'),
  args: [{ ...TEXT_ARG, isOptional: true }],
  options: {
    resume: { kind: 'text', value: 'ID', complete: 'task', help: 'continue this lead task and its descendants' },
    workers: {
      kind: 'number',
      value: 'N',
      min: 1,
      max: 64,
      help: 'how many tasks run at once beside the lead (default 3)',
    },
    title: { kind: 'text', value: 'TEXT', help: "a short name (default: the text's first line)" },
    dir: { kind: 'text', value: 'DIR', complete: 'folder', help: 'working directory (default: this folder)' },
    model: { kind: 'text', value: 'MODEL', help: "the lead's model (default: the agent's own)" },
    'permission-mode': { kind: 'text', value: 'MODE', help: "the lead's permission mode, e.g. acceptEdits or plan" },
    key: { kind: 'text', value: 'TEXT', help: 'idempotency key: the same key creates the lead task only once' },
  },
  examples: [
    { line: "lode orchestrate 'Bring the docs in step with the code'", does: 'run until the lead has finished' },
    { line: 'lode orchestrate --resume t-7f3k9q2m', does: 'continue after a pause or a crash' },
  ],
  async run(context, { args: [text], options }) {
    if ((text === undefined) === (options.resume === undefined))
      throw usageError(context.path)('Pass either a TEXT or --resume with the ID of a lead task.')
    if (context.io.env.LODELINE_TOKEN && context.io.env.LODELINE_TASK_ID)
      throw new AppError('conflict', "A running task can't start an orchestration.", {
        hint: 'Delegate work with send-task and wait for it with await-tasks.',
      })
    const words = text === undefined ? null : await taskText(context, text)
    const stage = await openRunStage(context, { concurrency: (options.workers ?? 3) + 1 })
    let look: TreeState
    try {
      const lead = words === null ? await takeUp(stage, options.resume ?? '') : await begin(stage, words)
      context.note(`lead task ${lead.id}: ${lead.title}`)
      look = await tend(context, stage, lead)
    } finally {
      await stage.close()
    }
    return showEnd(context, look)

    async function begin({ connection, worker }: RunStage, task: string): Promise<Task> {
      const { key } = options
      const { task: made } = await connection.client.tasks.create(
        {
          task,
          title: options.title,
          taskType: LEAD_TASK_TYPE,
          source: 'orchestrate',
          agentId: worker.agentId,
          dir: options.dir ?? (connection.isRemote ? undefined : context.io.cwd),
          model: options.model,
          permissionMode: options['permission-mode'],
          // Its workers' results wake it, whatever happened to its process.
          onChildDone: 'resume',
        },
        key === undefined ? {} : { idempotencyKey: key },
      )
      return made
    }
  },
})

/** @throws `conflict` it is no lead task, or it is over */
async function takeUp({ connection: { client } }: RunStage, id: string): Promise<Task> {
  const { task } = await client.tasks.get(id)
  if (task.taskType !== LEAD_TASK_TYPE)
    throw new AppError('conflict', `Task ${task.id} is not a lead task.`, {
      hint: `Continue it with 'lode run --task ${task.id}'.`,
    })
  if (task.status === 'completed')
    throw new AppError('conflict', `Task ${task.id} is already completed.`, {
      hint: `View it with 'lode task tree ${task.id}'.`,
    })
  await resumeTree(client, await readTree(client, task.id))
  return hasEnded(task) ? (await client.tasks.retry(task.id, { reason: 'lode orchestrate' })).task : task
}

/** Looks after the tree until the lead has settled and nothing of it is at work; Ctrl-C pauses it, a second one cancels it. */
async function tend(context: Context, { connection: { client }, worker }: RunStage, lead: Task): Promise<TreeState> {
  const ending = new AbortController()
  const second = context.takeSecondSignal()
  const live = liveTree(context)
  const tell = terminalStatus(context)
  const questions = showQuestions(context, client, lead.id, ending.signal, { onOpen: tellQuestions(tell, lead.title) })
  let changed = Promise.withResolvers<void>()
  const follow = followChanges(client, ending.signal, () => changed.resolve())
  let askedAt: number | null = null
  let isCancelling = false
  for (const signal of [context.signal, second])
    signal.addEventListener('abort', () => changed.resolve(), { once: true })
  try {
    for (;;) {
      let look = await readTree(client, lead.id)
      if (second.aborted && !isCancelling) {
        isCancelling = true
        context.note('cancelling the whole tree')
        await cancelTree(client, look, 'Ctrl-C')
        look = await readTree(client, lead.id)
      } else if (context.signal.aborted && askedAt === null) {
        askedAt = context.io.now()
        context.note('pausing the whole tree; press Ctrl-C again to cancel it')
        await pauseTree(client, look, 'Ctrl-C')
        look = await readTree(client, lead.id)
      } else if (askedAt === null && !isCancelling) {
        await adoptTree(client, look, worker.agentId, await goneRunWorkers(client))
      }
      live.show(look)
      if (isOver(look) || (askedAt !== null && context.io.now() - askedAt > LEAVE_MS)) {
        tell(endStatus(look.tree.task), lead.title)
        return look
      }
      await Promise.race([changed.promise, Bun.sleep(TREE_LOOK_MS)])
      await Bun.sleep(TOGETHER_MS)
      changed = Promise.withResolvers<void>()
    }
  } catch (error) {
    tell(null)
    throw error
  } finally {
    ending.abort()
    await Promise.all([questions, follow])
  }
}

/** Nothing of it is at work, and nothing will be by itself. */
const isOver = ({ tree, tasks }: TreeState): boolean =>
  isSettled(tree.task) && tasks.every((task) => isSettled(task) || task.status === 'backlog')

/** Never fails: a server that is away is looked for again, and each look at the tree says what is wrong. */
async function followChanges(client: RunStage['connection']['client'], signal: AbortSignal, wake: () => void) {
  try {
    const { feedHead } = await client.status({ signal })
    const kinds = ['task.created', 'task.moved', 'task.updated'] as const
    for await (const _ of client.feed.follow({ after: feedHead, kinds: [...kinds] }, { signal })) wake()
  } catch {
    // The looks go on by the clock.
  }
}

function showEnd(context: Context, { tree, tasks }: TreeState): number {
  const { task } = tree
  const open = tasks.filter((each) => each.id !== task.id && !hasEnded(each)).length
  context.answer({ task, tree }, () => {
    const output = task.output === null || !hasEnded(task) ? '' : `\n${block(task.output).trimEnd()}\n`
    return `${taskLine(task)}${open > 0 ? `; ${open} unfinished below it` : ''}\n${output}`
  })
  if (!context.globals.isJson && task.status !== 'completed')
    context.note(`continue with 'lode orchestrate --resume ${task.id}'`)
  return outcomeCode([task])
}
