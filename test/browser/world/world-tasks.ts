/** Tasks in every state, each run by the server's own worker with the real CLI. */
import type { MessageId, QuestionId, TaskId } from '../../../src/domain/ids'
import type { Task, TaskStatus } from '../../../src/domain/task/task'
import { until } from '../../lab/until'
import { type Ground, PATIENCE_MS } from './world-ground'

export interface WorldTasks {
  completed: TaskId
  /** A child that went on in the conversation of `completed`. */
  followUp: TaskId
  /** Twice in vain. */
  failed: TaskId
  /** In the middle of a long call. */
  running: TaskId
  /** At work, with three children: `unloaded`, `gaveUp`, `asking`. */
  parent: TaskId
  unloaded: TaskId
  gaveUp: TaskId
  /** Waits for a person's word on `question`. */
  asking: TaskId
  question: QuestionId
  paused: TaskId
  /** Waits for `running`. */
  blocked: TaskId
  /** Waits for a time. */
  later: TaskId
  backlog: TaskId
  cancelled: TaskId
  /** What was said to `completed` before it began. */
  told: MessageId
}

export async function makeTasks(ground: Ground): Promise<WorldTasks> {
  const make = maker(ground)
  const create = async (task: string, more: Parameters<typeof make>[1] = {}) => (await make(task, more)).id
  // What takes longest first.
  const parent = await create('Unload the three ships', { title: 'Unload the ships', priority: 90 })
  const running = await create('Dredge the channel', { tags: ['channel'] })
  const paused = await create('Paint the lighthouse')
  const completed = await create('Greet the harbour master', { status: 'backlog' })
  const { message: told } = await ground.client.messages.send({ to: completed, text: 'He likes tea.' })
  await ground.client.tasks.deploy(completed)
  const retryPolicy = { maximumAttempts: 2, initialIntervalMs: 0 }
  const failed = await create('Moor the ghost ship', { retryPolicy })
  const blocked = await create('Open the channel', { dependsOn: [running] })
  const notBefore = new Date(Date.now() + 6 * 3_600_000).toISOString()
  const later = await create('Ring the noon bell', { notBefore })
  const backlog = await create('Build a second quay', { status: 'backlog' })
  const cancelled = await create('Sink the old buoy', { status: 'backlog' })
  await ground.client.tasks.cancel(cancelled, { reason: 'the buoy is protected' })
  const [family, carriedOn] = await Promise.all([
    familyOf(ground, parent),
    carryOn(ground, completed),
    pauseIt(ground, paused),
    reached(ground, failed, 'failed'),
    atWork(ground, running),
    atWork(ground, parent),
    consumed(ground, told.id),
  ])
  return {
    parent,
    running,
    paused,
    completed,
    failed,
    blocked,
    later,
    backlog,
    cancelled,
    told: told.id,
    ...family,
    ...carriedOn,
  }
}

const maker =
  ({ client, claude }: Ground) =>
  async (task: string, more: Omit<Parameters<typeof client.tasks.create>[0], 'task'>): Promise<Task> =>
    (await client.tasks.create({ task, dir: claude.project, ...more })).task

/** Waits until the task is there. */
export async function reached({ client }: Ground, id: TaskId, status: TaskStatus): Promise<void> {
  await until(`${id} to be ${status}`, async () => (await client.tasks.get(id)).task.status === status, PATIENCE_MS)
}

/** The three ships: one unloaded, one given up, one that waits for a signature. */
async function familyOf(ground: Ground, parent: TaskId) {
  const { client } = ground
  const childOf = async (words: string) =>
    until(
      words,
      async () => (await client.tasks.list({ parentTaskId: parent })).tasks.find(({ task }) => task.includes(words)),
      PATIENCE_MS,
    )
  const unloaded = (await childOf('the first ship')).id
  const gaveUp = (await childOf('the second ship')).id
  const asking = (await childOf('the third ship')).id
  const question = await until(
    'the question of the third ship',
    async () => (await client.questions.list({ taskId: asking })).questions[0]?.id,
    PATIENCE_MS,
  )
  await Promise.all([reached(ground, unloaded, 'completed'), reached(ground, gaveUp, 'failed')])
  return { unloaded, gaveUp, asking, question }
}

/** A child that goes on where its parent ended. */
async function carryOn(ground: Ground, completed: TaskId) {
  await reached(ground, completed, 'completed')
  const { id: followUp } = await maker(ground)('Which ship did you greet?', { parentTaskId: completed })
  await reached(ground, followUp, 'completed')
  return { followUp }
}

/** Waits until the record tells that the model went on from it. */
async function consumed({ client }: Ground, id: MessageId): Promise<void> {
  await until(
    `the message ${id} to be read`,
    async () => (await client.messages.get(id)).message.status === 'consumed',
    PATIENCE_MS,
  )
}

async function pauseIt(ground: Ground, id: TaskId): Promise<void> {
  await atWork(ground, id)
  await ground.client.tasks.pause(id, { reason: 'it rains' })
  await reached(ground, id, 'paused')
}

/** Waits until its run is in the middle of a call, and the record has that. */
async function atWork({ client }: Ground, id: TaskId): Promise<void> {
  await until(
    `${id} to be at work`,
    async () => {
      const session = (await client.tasks.get(id)).task.claudeSessionId
      const found = session === null ? null : await client.sessions.tree(session).catch(() => null)
      return found?.tree.runningTools.some(({ name }) => name === 'Bash')
    },
    PATIENCE_MS,
  )
}
