import { join } from 'node:path'
import type { Client } from '../api/client'
import type { Inputs } from '../api/contract/operations'
import type { IssueId, TaskId } from '../domain/ids'
import { createAgentWorld, findAgentCli } from './agent-cli'
import { startModelServer } from './model-server'
import { type Scene, shell } from './story'
import type { DemoWorker } from './task-act'

/** What there is to do in the shop, in the order in which it is written down; `publish` is given to a worker. */
export const ISSUES = {
  rounding: 'Prices lose half a cent in the checkout.',
  publish: 'Publish the new price list.',
  invoices: 'Round in the invoices as the checkout does.',
  yen: 'Prices in yen have no cents, and show two.',
  books: 'Check the invoices of last month for lost cents.',
  receipts: 'Say on receipts how a price was rounded.',
} as const

/** What the call that needs a leave prints; its text is not that, so that only a call that ran shows it. */
const PUBLISHED = 'published: 42'
const COMMAND = 'cp prices.js published.js && echo "published: $((40 + 2))"'

const SCENES: Scene[] = [
  {
    name: 'published',
    who: 'main',
    prompt: ISSUES.publish,
    within: PUBLISHED,
    steps: [{ text: 'The price list is published: published.js.', thinkMs: 300 }],
  },
  {
    name: 'publish',
    who: 'main',
    prompt: ISSUES.publish,
    steps: [
      { tools: [shell('Publish the price list', COMMAND)], thinkMs: 300 },
      { text: 'Nothing is published: the copy was not allowed.', thinkMs: 300 },
    ],
  },
]

export interface LastActOptions {
  client: Client
  /** Lodeline's folder, with the shop of the acts before. */
  home: string
  claudeRoot: string
  /** A worker whose runs ask the person before they do anything. */
  startWorker: (options: { env: Readonly<Record<string, string>>; executable: string }) => Promise<DemoWorker>
  signal: AbortSignal
}

export interface LastAct {
  /** The task whose run asks. */
  taskId: TaskId
  /** Resolves with the question's id, once it is asked. */
  asked: Promise<string>
  /** Ends what still runs. */
  stop(): Promise<void>
}

/** How long an agent may take until its question. */
const ASKED_MS = 30_000

/**
 * What stays when the story is over: the shop's issues, one of them given to a worker as a task, whose run asks the person for leave. The
 * worker and the model stay until `stop`, so that an answer is followed.
 */
export async function playLastAct(options: LastActOptions): Promise<LastAct> {
  const { client, home, claudeRoot, signal } = options
  const cli = findAgentCli()
  const model = startModelServer({ scenes: SCENES, pace: 1, onStep: () => {} })
  const world = await createAgentWorld(cli, {
    folder: join(home, 'demo'),
    claudeRoot,
    modelUrl: model.baseUrl,
    goesOn: true,
  })
  let worker: DemoWorker | undefined
  const stop = async () => {
    await worker?.stop()
    await model.stop()
    world.close()
  }
  try {
    worker = await options.startWorker({ env: world.environment, executable: cli })
    const dir = world.project
    const publish = await writeIssues(client, dir)
    const { tasks } = await client.issues.dispatch(publish, { dir, agentId: worker.name })
    const taskId = tasks[0]?.taskId
    if (taskId === undefined || taskId === null) throw new Error('The issue has no task.')
    return { taskId, asked: questionOf(client, taskId, signal), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** @returns the id of the one that is to be given to a worker */
async function writeIssues(client: Client, dir: string): Promise<IssueId> {
  const add = async (name: keyof typeof ISSUES, more: Partial<Inputs['issues']['create']>, ...blockers: IssueId[]) => {
    const dependencies = blockers.map((dependsOnId) => ({ dependsOnId, type: 'blocks' as const }))
    return (await client.issues.create({ dir, title: ISSUES[name], dependencies, ...more })).issue.id
  }
  const rounding = await add('rounding', { issueType: 'bug', priority: 1, labels: ['checkout'] })
  await client.issues.close(rounding, { dir, reason: 'prices.js rounds half cents up, in one place' })
  const publish = await add('publish', { issueType: 'task', priority: 1 }, rounding)
  const invoices = await add('invoices', { issueType: 'task', priority: 2 }, publish)
  const yen = await add('yen', { issueType: 'bug', priority: 2, labels: ['checkout'] })
  await add('books', { issueType: 'task', priority: 2 }, invoices, yen)
  await add('receipts', { issueType: 'feature', priority: 3, labels: ['checkout'] }, invoices)
  return publish
}

async function questionOf(client: Client, taskId: TaskId, signal: AbortSignal): Promise<string> {
  const deadline = Date.now() + ASKED_MS
  for (;;) {
    signal.throwIfAborted()
    const { questions } = await client.questions.list({ taskId, status: 'open' }, { signal })
    const [question] = questions
    if (question !== undefined) return question.id
    if (Date.now() > deadline) throw new Error(`task ${taskId} asked nothing`)
    await Bun.sleep(100)
  }
}
