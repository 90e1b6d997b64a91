import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { AppError } from '../../src/domain/errors'
import { CLI_VERSIONS } from '../e2e/real-cli'
import { processTree } from '../lab/processes'
import { until } from '../lab/until'
import { isRunning, World } from './world'

describe.each(CLI_VERSIONS)('with the agent CLI %s', (version) => {
  let world: World
  beforeEach(async () => {
    world = await World.start({ version })
  })
  afterEach(async () => world.stop())

  const beats = () => {
    const path = join(world.lab.project, 'beat.txt')
    return existsSync(path) ? statSync(path).size : 0
  }
  async function slowTask() {
    const { id } = await world.create('Please work slowly')
    const attempt = await world.running(id)
    await until('the tool call', () => beats() > 0)
    return { id, attempt, session: attempt.conversation?.sessionId ?? '' }
  }

  test('a worker that was killed leaves nothing at work, and goes on with its task when it is started again', async () => {
    const worker = await world.spawnWorker()
    const { id, attempt, session } = await slowTask()
    const tree = processTree(attempt.process?.pid ?? 0)
    worker.kill('SIGKILL')
    await worker.exited
    await until('the tree to be gone', () => !tree.some(isRunning), 1_000)
    const stopped = beats()
    await world.spawnWorker()
    await until('the next attempt', async () => (await world.attempts(id)).length === 2, 2_000)
    await world.reached(id, 'completed')
    const [first, second] = await world.attempts(id)
    expect(first?.outcome).toBe('lost')
    expect(second?.conversation).toMatchObject({ rung: 'native', sessionId: session })
    expect(beats()).toBe(stopped)
    await until('the output of the first attempt', () => !existsSync(world.runFolder(attempt.id)))
    expect(readFileSync(join(world.home, 'streams', `${attempt.id}.jsonl`), 'utf8')).toContain('work slowly')
  })

  test('a worker that shuts down pauses its task, and its next start goes on with it', async () => {
    const worker = await world.startWorker()
    const { id, session } = await slowTask()
    await world.stopWorker(worker)
    expect(await world.task(id)).toMatchObject({ status: 'paused', pausedBy: 'shutdown' })
    await world.startWorker()
    await world.reached(id, 'completed')
    expect((await world.attempts(id))[1]?.conversation).toMatchObject({ rung: 'native', sessionId: session })
  })

  test('a stopped worker loses its task to another, and can do nothing more when it is continued', async () => {
    const first = await world.spawnWorker({ name: 'w1' })
    const { id, attempt } = await slowTask()
    const tree = processTree(attempt.process?.pid ?? 0)
    first.kill('SIGSTOP')
    await world.startWorker({ name: 'w2' })
    await until('its tree to be ended by the guard', () => !tree.some(isRunning), 15_000)
    const stopped = beats()
    await world.reached(id, 'completed')
    first.kill('SIGCONT')
    await until('it to hear of it', () => !existsSync(world.runFolder(attempt.id)))
    const [lost, other] = await world.attempts(id)
    expect([lost?.outcome, other?.outcome, other?.agentName]).toEqual(['lost', 'completed', 'w2'])
    expect(beats()).toBe(stopped)
    expect(await world.task(id)).toMatchObject({ status: 'completed', output: 'Went on to the end.' })
  }, 90_000)

  test('of two processes that work under one name the later one stays', async () => {
    const first = await world.startWorker({ name: 'w1' })
    const ended = first.done.catch((error: AppError) => error.code)
    await world.startWorker({ name: 'w1', home: join(world.lab.root, 'other') })
    expect(await ended).toBe('conflict')
    const { id } = await world.create('Please remember')
    await world.reached(id, 'completed')
  })

  test('another machine goes on with the conversation, restored from the record', async () => {
    const here = await world.startWorker({ name: 'w1' })
    const { id, session } = await slowTask()
    await world.client.tasks.pause(id)
    await world.reached(id, 'paused')
    await world.stopWorker(here)
    const other = join(world.lab.root, 'other')
    await world.startWorker({ name: 'w2', home: join(other, 'l'), env: { HOME: join(other, 'h') } })
    await world.client.tasks.patch(id, { agentId: 'w2' })
    await world.client.tasks.resume(id)
    await world.reached(id, 'completed')
    const second = (await world.attempts(id))[1]
    expect(second).toMatchObject({ agentName: 'w2', conversation: { rung: 'restored', sessionId: session } })
    expect(world.shown(session)).toContain('work slowly')
    // What it wrote there came to the record: the first machine has the shorter copy now.
    const back = await world.create('which word was it?', { parentTaskId: id, agentId: 'w2' })
    await world.reached(back.id, 'completed')
    expect((await world.attempts(back.id))[0]?.conversation).toMatchObject({
      rung: 'snapshot',
      resumedSessionId: session,
    })
  })
})

/** One process is server and worker here, so that nothing proves to the worker that its server is gone: the lease has to last. */
describe.each(CLI_VERSIONS)('while the server is away, with the agent CLI %s', (version) => {
  let world: World
  beforeEach(async () => {
    world = await World.start({ version, settings: { 'tasks.leaseSeconds': 120 } })
  })
  afterEach(async () => world.stop())

  test('a run goes on while the server is away, and everything arrives afterwards', async () => {
    await world.startWorker()
    const { id } = await world.create('Please work briefly')
    const attempt = await world.running(id)
    await until('the tool call', async () => (await world.log(id)).some((line) => line.kind === 'tool'))
    const port = await world.stopServer()
    // The run comes to its end meanwhile.
    await until('the process to end', () => !isRunning(attempt.process?.pid ?? 0))
    await world.startServer(port)
    const task = await world.reached(id, 'completed')
    expect(task).toMatchObject({ output: 'Done briefly.', attemptCount: 1 })
    await until('the output', () => !existsSync(world.runFolder(attempt.id)))
    const stream = readFileSync(join(world.home, 'streams', `${attempt.id}.jsonl`), 'utf8')
    expect(
      stream
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).type),
    ).toContain('result')
  })

  test('a worker that ends while the server is away tells it at its next start how its task ended', async () => {
    const worker = await world.startWorker()
    const { id } = await world.create('Please work briefly')
    const attempt = await world.running(id)
    const port = await world.stopServer()
    await until('the process to end', () => !isRunning(attempt.process?.pid ?? 0))
    await world.stopWorker(worker)
    await world.startServer(port)
    await world.startWorker()
    const task = await world.reached(id, 'completed')
    expect(task).toMatchObject({ output: 'Done briefly.', attemptCount: 1 })
    await until('the output', () => !existsSync(world.runFolder(attempt.id)))
  })
})
