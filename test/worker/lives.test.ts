import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Transport } from '../../src/api/client/call'
import type { AppError } from '../../src/domain/errors'
import type { PollAnswer } from '../../src/domain/task/worker-protocol'
import { EACH_CLI, NEWEST_CLI } from '../lab/claude'
import { refusal } from '../lab/in-process'
import { inTurn } from '../lab/in-turn'
import { type LabWith, openLab } from '../lab/lab'
import { isRunning } from '../lab/processes'
import { until } from '../lab/until'

inTurn(EACH_CLI, 'with the agent CLI %s', (test, version) => {
  let lab: LabWith<'claude' | 'here'>
  beforeEach(async () => {
    lab = await openLab({ claude: { version, script: 'worker' }, here: {} })
  })
  afterEach(async () => lab.stop())

  const beats = () => {
    const path = join(lab.claude.project, 'beat.txt')
    return existsSync(path) ? statSync(path).size : 0
  }
  async function slowTask() {
    const { id } = await lab.tasks.create('Please work slowly')
    const { conversation } = await lab.tasks.running(id)
    await until('the tool call', () => beats() > 0)
    return { id, session: conversation?.sessionId ?? '' }
  }

  test('of two processes that work under one name the later one stays', async () => {
    const first = await lab.here.startWorker({ name: 'w1' })
    const ended = first.done.catch((error: AppError) => error.code)
    await lab.here.startWorker({ name: 'w1', home: join(lab.claude.root, 'other') })
    expect(await ended).toBe('conflict')
    const { id } = await lab.tasks.create('Please remember')
    await lab.tasks.reached(id, 'completed')
  })

  test('another machine goes on with the conversation, restored from the record', async () => {
    const here = await lab.here.startWorker({ name: 'w1' })
    const { id, session } = await slowTask()
    await lab.here.client.tasks.pause(id)
    await lab.tasks.reached(id, 'paused')
    await lab.here.stopWorker(here)
    const other = join(lab.claude.root, 'other')
    // A worker that tells the server what it is now gets another token: what an attempt asks at its beginning may come with the former.
    const refused: string[] = []
    const isRefused = ({ method, url }: Request): boolean => {
      const { pathname } = new URL(url)
      const isFirst = method === 'GET' && pathname.startsWith('/api/sessions/') && !refused.includes(pathname)
      if (isFirst) refused.push(pathname)
      return isFirst
    }
    await lab.here.startWorker({ name: 'w2', home: join(other, 'l'), env: { HOME: join(other, 'h') }, isRefused })
    await lab.here.client.tasks.patch(id, { agentId: 'w2' })
    await lab.here.client.tasks.resume(id)
    await lab.tasks.reached(id, 'completed')
    expect(refused.length).toBeGreaterThan(1)
    const [, second, ...others] = await lab.tasks.attempts(id)
    expect(others).toEqual([])
    expect(second).toMatchObject({ agentName: 'w2', conversation: { rung: 'restored', sessionId: session } })
    expect(lab.claude.lastShown(session)).toContain('work slowly')
    // What it wrote there came to the record: the first machine has the shorter copy now.
    const back = await lab.tasks.create('which word was it?', { parentTaskId: id, agentId: 'w2' })
    await lab.tasks.reached(back.id, 'completed')
    expect((await lab.tasks.attempts(back.id))[0]?.conversation).toMatchObject({
      rung: 'snapshot',
      resumedSessionId: session,
    })
  })
})

test('a run that the server gives again after its worker took it for lost keeps its folder', async () => {
  await using lab = await openLab({ claude: { version: NEWEST_CLI, script: 'worker' }, here: {} })
  const { promise: isBegun, resolve: begun } = Promise.withResolvers<void>()
  const away = () => refusal('unavailable', 'The server is away.')
  const given: PollAnswer[] = []
  let lost = ''
  // The server hears of nothing that the run does, and is away from when its worker gives the run up until that one is over.
  const between =
    (send: Transport): Transport =>
    async (request) => {
      const { pathname } = new URL(request.url)
      if (lost === '' && pathname.endsWith('/report')) {
        begun()
        return away()
      }
      if (!pathname.endsWith('/poll')) return await send(request)
      const [first, again] = given
      if (first !== undefined && lost === '') {
        await isBegun
        lost = first.assignments[0]?.attemptId ?? ''
        return Response.json({ ...first, assignments: [], renewed: [], lost: [lost] })
      }
      if (lost !== '' && again === undefined && (await request.clone().text()).includes(lost)) return away()
      const answer = await send(request)
      const said = answer.ok ? ((await answer.clone().json()) as PollAnswer) : undefined
      if (said !== undefined && said.assignments.length > 0) given.push(said)
      return answer
    }
  await lab.here.startWorker({ between })
  const { id } = await lab.tasks.create('Please remember')
  const { attemptCount } = await lab.tasks.reached(id, 'completed')
  expect([lost, attemptCount]).toEqual([`${id}.1`, 1])
})

/** One process is server and worker here, so that nothing proves to the worker that its server is gone: the lease has to last. */
inTurn(EACH_CLI, 'while the server is away, with the agent CLI %s', (test, version) => {
  let lab: LabWith<'claude' | 'here'>
  beforeEach(async () => {
    lab = await openLab({ claude: { version, script: 'worker' }, here: { settings: { 'tasks.leaseSeconds': 120 } } })
  })
  afterEach(async () => lab.stop())

  test('a worker that ends while the server is away tells it at its next start how its task ended', async () => {
    const worker = await lab.here.startWorker()
    const { id } = await lab.tasks.create('Please work briefly')
    const attempt = await lab.tasks.running(id)
    const port = await lab.here.stopServer()
    await until('the process to end', () => !isRunning(attempt.process?.pid ?? 0))
    await lab.here.stopWorker(worker)
    await lab.here.startServer(port)
    await lab.here.startWorker()
    const task = await lab.tasks.reached(id, 'completed')
    expect(task).toMatchObject({ output: 'Done briefly.', attemptCount: 1 })
    await until('the output', () => !existsSync(lab.here.runFolder(attempt.id)))
  })
})
