/** Tasks in every state, each run by the server's own worker with the real CLI. */
import type { MessageId, QuestionId, TaskId } from '../../../src/domain/ids'
import type { TaskStatus } from '../../../src/domain/task/task'
import { until } from '../../lab/until'
import type { Ground } from './world-ground'

/** What waits, and what it waits for: two starts of the CLI. */
export interface WorldWaiting {
  /** In the middle of a long call. */
  running: TaskId
  paused: TaskId
  /** Waits for `running`. */
  blocked: TaskId
  /** Waits for a time. */
  later: TaskId
}

export interface WorldTasks extends WorldWaiting {
  completed: TaskId
  /** A child that went on in the conversation of `completed`. */
  followUp: TaskId
  /** Twice in vain. */
  failed: TaskId
  /** At work, with three children: `unloaded`, `gaveUp`, `asking`. */
  parent: TaskId
  unloaded: TaskId
  gaveUp: TaskId
  /** Waits for a person's word on `question`. */
  asking: TaskId
  question: QuestionId
  backlog: TaskId
  cancelled: TaskId
  /** What was said to `completed` before it began. */
  told: MessageId
}

export async function makeWaiting(ground: Ground): Promise<WorldWaiting> {
  const create = maker(ground)
  const running = await create('Dredge the channel', { tags: ['channel'] })
  const paused = await create('Paint the lighthouse')
  const blocked = await create('Open the channel', { dependsOn: [running] })
  const notBefore = new Date(Date.now() + 6 * 3_600_000).toISOString()
  const later = await create('Ring the noon bell', { notBefore })
  await Promise.all([pauseIt(ground, paused), atWork(ground, running)])
  return { running, paused, blocked, later }
}

export async function makeTasks(ground: Ground): Promise<WorldTasks> {
  const create = maker(ground)
  // What takes longest first.
  const parent = await create('Unload the three ships', { title: 'Unload the ships', priority: 90 })
  const completed = await create('Greet the harbour master', { status: 'backlog' })
  const { message: told } = await ground.client.messages.send({ to: completed, text: 'He likes tea.' })
  await ground.client.tasks.deploy(completed)
  const retryPolicy = { maximumAttempts: 2, initialIntervalMs: 0 }
  const failed = await create('Moor the ghost ship', { retryPolicy })
  const backlog = await create('Build a second quay', { status: 'backlog' })
  const cancelled = await create('Sink the old buoy', { status: 'backlog' })
  await ground.client.tasks.cancel(cancelled, { reason: 'the buoy is protected' })
  const [waiting, family, carriedOn] = await Promise.all([
    makeWaiting(ground),
    familyOf(ground, parent),
    carryOn(ground, completed),
    reached(ground, failed, 'failed'),
    atWork(ground, parent),
    consumed(ground, told.id),
  ])
  return { parent, completed, failed, backlog, cancelled, told: told.id, ...waiting, ...family, ...carriedOn }
}

const maker =
  ({ client, claude }: Ground) =>
  async (task: string, more: Omit<Parameters<typeof client.tasks.create>[0], 'task'> = {}): Promise<TaskId> =>
    (await client.tasks.create({ task, dir: claude.project, ...more })).task.id

/** Waits until the task is there. */
export async function reached({ client }: Ground, id: TaskId, status: TaskStatus): Promise<void> {
  await until(`${id} to be ${status}`, async () => (await client.tasks.get(id)).task.status === status)
}

/** The three ships: one unloaded, one given up, one that waits for a signature. */
async function familyOf(ground: Ground, parent: TaskId) {
  const { client } = ground
  const childOf = async (words: string) =>
    until(words, async () =>
      (await client.tasks.list({ parentTaskId: parent })).tasks.find(({ task }) => task.includes(words)),
    )
  const unloaded = (await childOf('the first ship')).id
  const gaveUp = (await childOf('the second ship')).id
  const asking = (await childOf('the third ship')).id
  const question = await until(
    'the question of the third ship',
    async () => (await client.questions.list({ taskId: asking })).questions[0]?.id,
  )
  await Promise.all([reached(ground, unloaded, 'completed'), reached(ground, gaveUp, 'failed')])
  return { unloaded, gaveUp, asking, question }
}

/** A child that goes on where its parent ended. */
async function carryOn(ground: Ground, completed: TaskId) {
  await reached(ground, completed, 'completed')
  const followUp = await maker(ground)('Which ship did you greet?', { parentTaskId: completed })
  await reached(ground, followUp, 'completed')
  return { followUp }
}

/** Waits until the record tells that the model went on from it. */
async function consumed({ client }: Ground, id: MessageId): Promise<void> {
  await until(`the message ${id} to be read`, async () => (await client.messages.get(id)).message.status === 'consumed')
}

async function pauseIt(ground: Ground, id: TaskId): Promise<void> {
  await atWork(ground, id)
  await ground.client.tasks.pause(id, { reason: 'it rains' })
  await reached(ground, id, 'paused')
}

/** Waits until its run is in the middle of a call, and the record has that. */
async function atWork({ client }: Ground, id: TaskId): Promise<void> {
  await until(`${id} to be at work`, async () => {
    const session = (await client.tasks.get(id)).task.claudeSessionId
    const found = session === null ? null : await client.sessions.tree(session).catch(() => null)
    return found?.tree.runningTools.some(({ name }) => name === 'Bash')
  })
}
