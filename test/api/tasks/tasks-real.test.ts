import { expect, test } from 'bun:test'
import { operations } from '../../../src/api/contract/operations'
import { sessionId } from '../../../src/domain/ids'
import type { TaskLogLine } from '../../../src/domain/task/task'
import type { AttemptEnd } from '../../../src/domain/task/worker-protocol'
import { until } from '../../lab/until'
import { onEachDatabase } from '../../store-contract/databases'
import { type JsonOperation, schemaOf } from '../answers/declared-answers'
import { TOKEN } from '../start-api'
import { joinAs, joinWorker, serveTasks } from './serve-tasks'

const end = (given: Partial<AttemptEnd> = {}): AttemptEnd => ({
  outcome: 'completed',
  failureClass: null,
  reason: 'ended well',
  resetAt: null,
  output: 'the result',
  exitCode: 0,
  signal: null,
  numTurns: 2,
  costUsd: 0.01,
  usage: null,
  ...given,
})

const CONVERSATION = { rung: 'fresh' as const, resumedSessionId: null, forked: false, forkPoint: null, whyNot: [] }

onEachDatabase((database) => {
  test("a task's life over HTTP: created, taken by a waiting worker, told of, finished, shown as the schemas say", async () => {
    await using api = serveTasks(database.store)
    const worker = await joinWorker(api)
    const waiting = worker.poll()
    await until('a call that waits', () => api.app.waiterCount() === 1)
    const { task } = await api.client.tasks.create({ task: 'count the words', tags: ['a'], priority: 90 })
    const [assignment] = (await waiting).assignments
    if (assignment === undefined) throw new Error('nothing was assigned')
    expect([assignment.task.id, assignment.generation]).toEqual([task.id, 1])

    const run = api.as(assignment.token)
    const session = crypto.randomUUID()
    const conversation = { ...CONVERSATION, sessionId: session as never }
    await worker.client.attempts.report(assignment.attemptId, { conversation })
    await run.tasks.progress(task.id, { progress: 'half of them' })
    const own = [{ id: assignment.attemptId, generation: 1 }]
    expect((await worker.poll({ attempts: own, waitMs: 0 })).lost).toEqual([])
    await worker.client.attempts.report(assignment.attemptId, {
      log: [{ at: '2026-01-01T00:00:00.000Z', kind: 'text', text: 'counting' }],
    })
    expect((await run.tasks.finish(task.id, { status: 'completed', output: '42' })).task).toMatchObject({
      status: 'completed',
      output: '42',
      finishedBy: 'agent',
      claudeSessionId: session,
    })
    await worker.client.attempts.report(assignment.attemptId, { ended: end() })
    const shown = await api.client.tasks.get(task.id.slice(0, 6))
    expect(shown.task).toMatchObject({ status: 'completed', output: '42', progress: 'half of them' })
    expect(shown.attempts).toMatchObject([{ isLive: false, outcome: 'completed', exitCode: 0, agentId: worker.id }])
    const { lines } = await api.client.tasks.log(task.id)
    expect(lines.map(({ text }) => text)).toContain('counting')
    const { entries } = await api.client.feed.page({ taskId: task.id })
    expect(entries[0]?.kind).toBe('task.created')
    expect(entries.at(-1)?.data.taskId).toBe(task.id)

    await expect(run.tasks.progress(task.id, { progress: 'more' })).rejects.toMatchObject({
      status: expect.any(Number),
    })
    await expect(run.tasks.get(task.id)).rejects.toMatchObject({ code: 'lease_lost' })
    expect((await api.client.tasks.get(task.id)).task.progress).toBe('half of them')
    for (const [operation, target] of [
      [operations.tasks.get, `/api/tasks/${task.id}`],
      [operations.tasks.list, '/api/tasks?limit=1000'],
      [operations.tasks.tree, `/api/tasks/${task.id}/tree`],
      [operations.tasks.log, `/api/tasks/${task.id}/log`],
      [operations.agents.list, '/api/agents'],
      [operations.agents.get, `/api/agents/${worker.join.name}`],
      [operations.questions.list, '/api/questions'],
    ] as [JsonOperation, string][]) {
      const response = await fetch(api.origin + target, { headers: { authorization: `Bearer ${TOKEN}` } })
      const body = (await response.json()) as never
      expect([target, response.status]).toEqual([target, 200])
      expect(schemaOf(operation).parse(body)).toEqual(body)
    }
  })

  test('the first final state wins: the same again is answered, another is a conflict', async () => {
    await using api = serveTasks(database.store)
    const worker = await joinWorker(api)
    const { task } = await api.client.tasks.create({ task: 'x', agentId: worker.join.name })
    const { assignment } = await worker.client.tasks.claim(task.id)
    const run = api.as(assignment?.token ?? '')
    await run.tasks.finish(task.id, { status: 'completed', output: 'o' })
    // What was claimed by hand is over with that, and so is its token.
    await expect(run.tasks.get(task.id)).rejects.toMatchObject({ code: 'lease_lost' })
    const finish = (status: 'completed' | 'failed') => worker.client.tasks.finish(task.id, { status, output: 'o' })
    expect((await finish('completed')).task.status).toBe('completed')
    await expect(finish('failed')).rejects.toMatchObject({ code: 'conflict', status: 409 })
    await expect(api.client.tasks.retry(task.id)).rejects.toMatchObject({ code: 'conflict' })
    expect((await api.client.tasks.get(task.id)).task).toMatchObject({ status: 'completed', output: 'o' })
  })

  test('a create that is sent twenty times under one key makes one task, another body under it is a conflict', async () => {
    await using api = serveTasks(database.store)
    const create = (text: string) => api.client.tasks.create({ task: text }, { idempotencyKey: 'once' })
    const made = await Promise.all(Array.from({ length: 20 }, () => create('just one')))
    expect(new Set(made.map(({ task }) => task.id)).size).toBe(1)
    expect(made.filter(({ isRepeat }) => !isRepeat).length).toBe(1)
    await expect(create('another')).rejects.toMatchObject({ code: 'conflict' })
    const epic = () => api.client.epics.create({ title: 'e' }, { idempotencyKey: 'once' })
    expect((await epic()).epic.id).toBe((await epic()).epic.id)
  })

  test('cancel, pause, words and answers reach the worker that waits', async () => {
    await using api = serveTasks(database.store)
    const worker = await joinWorker(api)
    const start = async (text: string) => {
      const { task } = await api.client.tasks.create({ task: text, agentId: worker.join.name })
      const [assignment] = (await worker.poll({ waitMs: 0, capacity: 1, attempts: [] })).assignments
      if (assignment?.task.id !== task.id) throw new Error('not assigned')
      // So that it is the worker's and not offered again.
      await worker.client.attempts.report(assignment.attemptId, {
        process: { pid: 1, startedAt: null, cwd: '/', branch: null, base: null, cliVersion: null },
      })
      return assignment
    }
    const listen = async (assignment: Awaited<ReturnType<typeof start>>, act: () => Promise<unknown>) => {
      const attempts = [{ id: assignment.attemptId, generation: assignment.generation }]
      const waiting = worker.poll({ capacity: 0, attempts })
      await until('a call that waits', () => api.app.waiterCount() === 1)
      await act()
      return (await waiting).commands
    }
    const one = await start('say something')
    const said = await listen(one, () => api.client.tasks.input(one.task.id, { text: 'faster', urgency: 'now' }))
    expect(said).toMatchObject([{ kind: 'input', text: 'faster', urgency: 'now' }])
    const { question } = await worker.client.attempts.ask(one.attemptId, {
      toolUseId: null,
      toolName: 'Bash',
      input: { command: 'rm -r x' },
      description: null,
      default: 'deny',
      deadlineMs: 60_000,
    })
    const answered = await listen(one, () => api.client.questions.answer(question.id, { behavior: 'allow' }))
    expect(answered.filter(({ kind }) => kind === 'answer')).toMatchObject([
      { questionId: question.id, behavior: 'allow' },
    ])
    const paused = await listen(one, () => api.client.tasks.pause(one.task.id))
    expect(paused.filter(({ kind }) => kind === 'pause').length).toBe(1)
    const two = await start('cancel me')
    const cancelled = await listen(two, () => api.client.tasks.cancel(two.task.id, { reason: 'no more' }))
    expect(cancelled).toMatchObject([{ kind: 'cancel', attemptId: two.attemptId }])
  })

  test('a worker of a newer version may report more than the server knows, and loses nothing of what it does know', async () => {
    await using api = serveTasks(database.store)
    const worker = await joinWorker(api)
    const { task } = await api.client.tasks.create({ task: 'report', agentId: worker.join.name })
    const { assignment } = await worker.client.tasks.claim(task.id)
    const id = assignment?.attemptId as never
    const newer = { conversation: { ...CONVERSATION, sessionId: crypto.randomUUID(), mood: 'good' }, weather: ['dry'] }
    await worker.client.attempts.report(id, newer as never)
    await worker.client.attempts.report(id, { ended: { ...end(), usage: null, effort: 3 } } as never)
    expect((await api.client.tasks.get(task.id)).task).toMatchObject({
      output: 'the result',
      claudeSessionId: newer.conversation.sessionId,
    })
    const wrong = { ended: { ...end(), outcome: 'splendid', effort: 3 } }
    await expect(worker.client.attempts.report(id, wrong as never)).rejects.toMatchObject({ code: 'invalid' })
    // A request would be carried out without what the server does not know of it.
    const asked = api.client.tasks.create({ task: 'cheap', longestSilence: 3 } as never)
    await expect(asked).rejects.toMatchObject({ code: 'invalid' })
  })

  test('a log is followed live to its end', async () => {
    await using api = serveTasks(database.store)
    const worker = await joinWorker(api)
    const { task } = await api.client.tasks.create({ task: 'talk', agentId: worker.join.name })
    const lines: TaskLogLine[] = []
    const following = (async () => {
      for await (const line of api.client.tasks.followLog(task.id)) lines.push(line)
    })()
    const { assignment } = await worker.client.tasks.claim(task.id)
    for (let i = 0; i < 30; i++) {
      const at = new Date().toISOString()
      await worker.client.attempts.report(assignment?.attemptId as never, {
        log: [{ at, kind: 'text', text: `said ${i}` }],
      })
    }
    await until('the last line', () => lines.some(({ text }) => text === 'said 29'))
    await worker.client.attempts.report(assignment?.attemptId as never, { ended: end() })
    await following
    expect(lines.filter(({ kind }) => kind === 'text').map(({ text }) => text)).toEqual(
      Array.from({ length: 30 }, (_, i) => `said ${i}`),
    )
    expect(lines.map(({ id }) => id)).toEqual(lines.map(({ id }) => id).toSorted((a, b) => a - b))
    expect((await api.client.tasks.log(task.id, { limit: 1_000 })).lines).toEqual(lines)
  })

  test('a foreign or stale token changes nothing', async () => {
    await using api = serveTasks(database.store)
    const [one, two] = [await joinWorker(api), await joinWorker(api)]
    const { task } = await api.client.tasks.create({ task: 'mine', agentId: one.join.name })
    const { task: other } = await api.client.tasks.create({ task: 'other', agentId: two.join.name })
    const first = (await one.client.tasks.claim(task.id)).assignment
    const foreign = (await two.client.tasks.claim(other.id)).assignment
    if (first === null || foreign === null) throw new Error('not claimed')
    const { task: child } = await api.as(first.token).tasks.create({ task: 'below' })
    await one.client.tasks.release(task.id)
    const second = (await one.client.tasks.claim(task.id)).assignment
    expect(second?.generation).toBe(2)
    const before = (await api.client.tasks.get(task.id)).task

    const stale = api.as(first.token)
    const stranger = api.as(foreign.token)
    for (const write of [
      () => stale.tasks.progress(task.id, { progress: 'x' }),
      () => stale.tasks.finish(task.id, { status: 'failed' }),
      () => stale.tasks.setConversation(task.id, { claudeSessionId: crypto.randomUUID() }),
      () => stale.attempts.report(first.attemptId, { ended: end() }),
      () => stale.attempts.stream(first.attemptId, { offset: 0 }, new Uint8Array(1)),
      () => stale.tasks.get(task.id),
      () => stale.tasks.list(),
      () => stale.feed.page({ taskId: task.id }),
      () => stale.messages.list({ to: task.id }),
      () => stale.tasks.create({ task: 'x' }),
      () => stale.tasks.cancel(child.id),
    ]) {
      await expect(write()).rejects.toMatchObject({ code: 'lease_lost', status: 412 })
    }
    for (const write of [
      () => stranger.tasks.progress(task.id, { progress: 'x' }),
      () => stranger.tasks.finish(task.id, { status: 'completed' }),
      () => stranger.tasks.cancel(task.id),
      () => stranger.attempts.report(second?.attemptId as never, { ended: end() }),
      () => stranger.attempts.report(foreign.attemptId, { ended: end() }),
      () => stranger.attempts.stream(foreign.attemptId, { offset: 0 }, new Uint8Array(1)),
      () => two.client.attempts.stream(second?.attemptId as never, { offset: 0 }, new Uint8Array(1)),
      () => two.client.attempts.report(second?.attemptId as never, { ended: end() }),
      () => stranger.tasks.log(task.id),
      () => two.client.tasks.prompt(task.id, { rung: 'preamble' }),
      () => two.client.tasks.cancel(task.id),
      () => two.client.agents.poll(one.id, { bootId: 'boot-1', capacity: 1, attempts: [], waitMs: 0 }),
      () => stranger.questions.answer('q-1', { behavior: 'allow' }),
      () => stranger.agents.join(joinAs()),
    ]) {
      await expect(write()).rejects.toMatchObject({ code: 'forbidden', status: 403 })
    }
    expect((await api.client.tasks.get(task.id)).task).toEqual(before)
    const mcp = await fetch(`${api.origin}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${first.token}` },
    })
    expect(mcp.status).toBe(412)
  })

  test("an agent's former token is refused as soon as it joined anew", async () => {
    await using api = serveTasks(database.store)
    const worker = await joinWorker(api)
    await worker.client.tasks.list()
    const again = await worker.client.agents.join(worker.join)
    expect(again.agent.id).toBe(worker.id)
    await expect(worker.client.tasks.list()).rejects.toMatchObject({ code: 'unauthorized' })
    await api.as(again.token).tasks.list()
  })

  test('sixty tasks and six waiting workers: each task is given once', async () => {
    await using api = serveTasks(database.store)
    const workers = await Promise.all(
      Array.from({ length: 6 }, () => joinWorker(api, { capabilities: ['sixty'], concurrency: 100 })),
    )
    const given: string[] = []
    const over = new AbortController()
    const listening = workers.map(async ({ poll }) => {
      const attempts: { id: never; generation: number }[] = []
      while (!over.signal.aborted) {
        const answer = await poll({ capacity: 3, attempts }, over.signal).catch((error: unknown) => {
          if (over.signal.aborted) return null
          throw error
        })
        for (const { attemptId, generation, task } of answer?.assignments ?? []) {
          attempts.push({ id: attemptId as never, generation })
          given.push(task.id)
        }
      }
    })
    const made = await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        api.client.tasks.create({ task: `task ${i}`, requiredCapabilities: ['sixty'] }),
      ),
    )
    const ids = made.map(({ task }) => String(task.id))
    await until('all tasks to be given', () => ids.every((id) => given.includes(id)))
    over.abort()
    await Promise.all(listening)
    expect(new Set(given).size).toBe(given.length)
  })

  test('a task that is made at one server wakes the worker that waits at another', async () => {
    const store = await database.open()
    try {
      await using here = serveTasks(database.store)
      await using there = serveTasks(store)
      const worker = await joinWorker(here, { capabilities: ['two servers'] })
      const waiting = worker.poll()
      await until('a call that waits', () => here.app.waiterCount() === 1)
      const { task } = await there.client.tasks.create({ task: 'x', requiredCapabilities: ['two servers'] })
      expect((await waiting).assignments.map((one) => one.task.id)).toContain(task.id)
    } finally {
      await store.close()
    }
  })

  test('lists of tasks give as much of long texts as is asked for, and the task itself gives all', async () => {
    await using api = serveTasks(database.store)
    const { tasks, sessions, fleet } = api.client
    const session = sessionId((await sessions.register({ title: 'A chat' })).registration.address)
    const { task } = await tasks.create({
      task: `${'a'.repeat(200)}\n${'b'.repeat(1_000)}`,
      sessionId: session,
      priority: 100,
    })
    const textsOf = async (input: { textLimit?: number }) => {
      const [listed] = (await tasks.list({ sessionId: session, ...input })).tasks
      const [ofSession] = (await sessions.tasks(session, input)).tasks
      const inTree = (await tasks.tree(task.id, input)).tree.task
      const queued = (await fleet(input)).queue.next.find(({ id }) => id === task.id)
      return [listed, ofSession, inTree, queued].map((one) => one?.task)
    }
    expect(await textsOf({ textLimit: 2 })).toEqual(['aa', 'aa', 'aa', 'aa'])
    expect(await textsOf({ textLimit: 0 })).toEqual(['', '', '', ''])
    expect(await textsOf({})).toEqual([task.task, task.task, task.task, task.task])
    expect((await tasks.get(task.id)).task).toEqual(task)
  })

  test('bad input is told as what it is, and nothing is made', async () => {
    await using api = serveTasks(database.store)
    const { tasks } = api.client
    const { task } = await tasks.create({ task: 'x' })
    const count = async () => (await tasks.list({ limit: 1_000 })).tasks.length
    const before = await count()
    const near = `${task.id.slice(0, -1)}${task.id.endsWith('0') ? '1' : '0'}`
    const cases: [() => Promise<unknown>, string][] = [
      [() => tasks.create({ task: 'y', dependsOn: ['t-00000000'] }), 'not_found'],
      [() => tasks.create({ task: 'y'.repeat(200_001) }), 'too_large'],
      [() => tasks.create({ task: 'y', agentId: 'nobody' }), 'not_found'],
      [() => tasks.create({ task: 'y', epicId: 'ld-none' }), 'not_found'],
      [() => tasks.patch(task.id, { dependsOn: [task.id] }), 'invalid'],
      [() => tasks.setConversation('t-00000000', { claudeSessionId: crypto.randomUUID() }), 'not_found'],
      [() => tasks.cancel(near), 'not_found'],
      [() => tasks.retry(task.id), 'conflict'],
      [() => tasks.list({ cursor: 'AAAA' }), 'invalid'],
      ...[-1, 1.5, 500_001].map((textLimit): [() => Promise<unknown>, string] => [
        () => tasks.list({ textLimit }),
        'invalid',
      ]),
      [() => api.client.epics.createTask('ld-none', { task: 'y' }), 'not_found'],
      [() => api.client.questions.answer('q-none', { behavior: 'deny' }), 'not_found'],
    ]
    for (const [call, code] of cases) await expect(call()).rejects.toMatchObject({ code })
    await expect(tasks.cancel(near)).rejects.toThrow(near)
    expect(await count()).toBe(before)
    expect((await tasks.get(task.id)).task).toEqual(task)
  })
})
