import { expect, test } from 'bun:test'
import { createClient } from '../../src/api/client'
import { httpTransport } from '../../src/api/client/http-transport'
import type { Command, PollInput } from '../../src/domain/worker-protocol'
import { MemoryStore } from './memory-store'
import { overHttp } from './start-api'
import { until } from './until'

const AGENT = 'a-worker' as never
const MINE = 't-11111111'
const cancel: Command = { kind: 'cancel', attemptId: `${MINE}.1` as never, reason: 'no more' }

const poll = (given: Partial<PollInput> = {}): PollInput => ({
  bootId: 'boot',
  capacity: 1,
  attempts: [],
  waitMs: 30_000,
  ...given,
})

function start(workers = 1) {
  const store = new MemoryStore()
  for (let i = 0; i < workers; i++) store.tasks.addAgent(i === 0 ? 'a-worker' : `a-worker${i}`, `lwk_${i}`)
  const api = overHttp(store)
  const client = (i = 0) =>
    createClient(httpTransport({ token: `lwk_${i}`, origin: api.origin }), { baseUrl: api.origin })
  const polled = () => api.services.kept.of('poll').length
  return { api, client, polled, store, tasks: store.tasks, kept: api.services.kept }
}

test('a poll that may not wait, and one with something to hear, is answered at once', async () => {
  const { api, client, kept } = start()
  await using _api = api
  expect((await client().agents.poll(AGENT, poll({ waitMs: 0 }))).leaseMs).toBe(15_000)
  kept.polls.push({ commands: [cancel] })
  expect((await client().agents.poll(AGENT, poll())).commands).toEqual([cancel])
  kept.polls.push({ lost: [`${MINE}.1` as never] })
  expect((await client().agents.poll(AGENT, poll())).lost.length).toBe(1)
  expect(api.app.waiterCount()).toBe(0)
})

test('a waiting poll hears of a task as soon as it was committed', async () => {
  const { api, client, kept, polled, store } = start()
  await using _api = api
  kept.polls.push({}, { assignments: [kept.assignment()] })
  const waiting = client().agents.poll(AGENT, poll())
  await until(() => polled() === 1)
  store.addTaskEntry('task.created', { taskId: 't-22222222' })
  expect((await waiting).assignments.length).toBe(1)
  expect(kept.of('poll').map(([caller]) => caller)).toEqual(
    Array(2).fill({ kind: 'agent', agentId: 'a-worker', agentKind: 'worker' }),
  )
})

test('what the recorder commits, and moves that free no task, wake nobody', async () => {
  const { api, client, kept, polled, store, tasks } = start()
  await using _api = api
  kept.polls.push({}, { commands: [cancel] })
  const waiting = client().agents.poll(AGENT, poll())
  await until(() => polled() === 1)
  store.addFeed(50, 'events.recorded')
  store.addFeed(5, 'session.updated')
  for (const to of ['in_progress', 'completed', 'failed', 'cancelled', 'backlog'])
    store.addTaskEntry('task.moved', { taskId: 't-33333333', to })
  store.addTaskEntry('attempt.updated', { taskId: 't-33333333', attemptId: 't-33333333.1' })
  store.addTaskEntry('question.updated', { taskId: 't-33333333' })
  store.addTaskEntry('task.moved', { taskId: 't-22222222', to: 'unassigned' })
  await waiting
  expect([polled(), tasks.workCount]).toEqual([2, 1])
})

test('a worker without room hears of its own attempts and of nothing else', async () => {
  const { api, client, kept, polled, store, tasks } = start()
  await using _api = api
  kept.polls.push({}, { commands: [cancel] })
  const attempts = [{ id: `${MINE}.1` as never, generation: 1 }]
  const waiting = client().agents.poll(AGENT, poll({ capacity: 0, attempts }))
  await until(() => polled() === 1)
  store.addTaskEntry('task.created', { taskId: 't-22222222' })
  store.addTaskEntry('question.updated', { taskId: 't-22222222' })
  store.addTaskEntry('task.moved', { taskId: MINE, to: 'cancelled' })
  expect((await waiting).commands).toEqual([cancel])
  expect([polled(), tasks.workCount]).toEqual([2, 1])
})

test('a look that finds nothing writes nothing, and the poll waits on', async () => {
  const { api, client, kept, polled, store, tasks } = start()
  await using _api = api
  kept.polls.push({}, { commands: [cancel] })
  tasks.work = false
  const waiting = client().agents.poll(AGENT, poll())
  await until(() => polled() === 1)
  for (let i = 1; i <= 3; i++) {
    store.addTaskEntry('task.created', { taskId: 't-22222222' })
    await until(() => tasks.workCount === i)
  }
  expect([polled(), api.app.waiterCount()]).toEqual([1, 1])
  tasks.work = true
  store.addTaskEntry('task.updated', { taskId: 't-22222222' })
  await waiting
  expect(polled()).toBe(2)
})

test('an entry that comes between the first look and the wait is not missed', async () => {
  const { api, client, kept, store } = start()
  await using _api = api
  const empty = kept.service.poll
  let first = true
  kept.service.poll = async (...args) => {
    const answer = await empty(...args)
    if (first) store.addTaskEntry('task.created', { taskId: 't-22222222' })
    first = false
    return answer
  }
  kept.polls.push({}, { assignments: [kept.assignment()] })
  expect((await client().agents.poll(AGENT, poll())).assignments.length).toBe(1)
})

test('many waiting workers cost the database one read of the feed for each commit', async () => {
  const { api, client, kept, polled, store, tasks } = start(40)
  await using _api = api
  const waiting = Array.from({ length: 40 }, (_, i) => client(i).agents.poll(`a-worker${i || ''}` as never, poll()))
  await until(() => polled() === 40)
  const before = store.feedReadCount
  for (let i = 0; i < 20; i++) {
    store.addFeed(1, 'events.recorded')
    await until(() => store.feedReadCount >= before + i + 1)
  }
  expect(store.feedReadCount - before).toBeLessThanOrEqual(2 * 20)
  expect([polled(), tasks.workCount]).toEqual([40, 0])
  kept.polls.push(...Array.from({ length: 40 }, () => ({ commands: [cancel] })))
  store.addTaskEntry('task.created', { taskId: 't-22222222' })
  expect((await Promise.all(waiting)).every(({ commands }) => commands.length === 1)).toBe(true)
})

test('a new task is looked at by one waiting worker first, by the others only a moment later', async () => {
  const { api, client, kept, polled, store, tasks } = start(3)
  await using _api = api
  const waiting = [0, 1, 2].map((i) => client(i).agents.poll(`a-worker${i || ''}` as never, poll()))
  await until(() => polled() === 3)
  kept.polls.push({ assignments: [kept.assignment()] })
  const looks: number[] = []
  tasks.hasWork = async () => {
    looks.push(performance.now())
    return looks.length === 1
  }
  store.addTaskEntry('task.created', { taskId: 't-22222222' })
  const first = await Promise.race(waiting)
  expect(first.assignments.length).toBe(1)
  await until(() => looks.length === 3)
  expect(polled()).toBe(4)
  await api.app.endFollowers()
  await Promise.all(waiting)
})

test('who leaves while it waits is forgotten, and nothing is taken for it', async () => {
  const { api, client, polled, store, tasks } = start()
  await using _api = api
  const { fetch } = api.app
  let signal: AbortSignal | undefined
  api.app.fetch = (request, info) => {
    signal = request.signal
    return fetch(request, info)
  }
  const leave = async (waiting: Promise<unknown>, leaving: AbortController) => {
    leaving.abort()
    await expect(waiting).rejects.toThrow()
    await until(() => signal?.aborted === true)
  }
  const first = new AbortController()
  const waiting = client().agents.poll(AGENT, poll(), { signal: first.signal })
  await until(() => polled() === 1)
  await leave(waiting, first)
  await until(() => api.app.waiterCount() === 0)

  const second = new AbortController()
  const looking = Promise.withResolvers<boolean>()
  tasks.hasWork = () => looking.promise
  const late = client().agents.poll(AGENT, poll(), { signal: second.signal })
  await until(() => polled() === 2)
  store.addTaskEntry('task.created', { taskId: 't-22222222' })
  await leave(late, second)
  looking.resolve(true)
  await until(() => api.app.waiterCount() === 0)
  expect(polled()).toBe(2)
})

test('a server that stops answers waiting polls with nothing, and later ones without waiting', async () => {
  const { api, client, polled } = start()
  await using _api = api
  const waiting = client().agents.poll(AGENT, poll())
  await until(() => polled() === 1)
  await api.app.endFollowers()
  await api.server.stop(true)
  expect(await waiting).toMatchObject({ assignments: [], commands: [], lost: [] })
})

test('a poll waits no longer than it said, and its lease is told', async () => {
  const { api, client, polled } = start()
  await using _api = api
  expect(await client().agents.poll(AGENT, poll({ waitMs: 20 }))).toMatchObject({ assignments: [], leaseMs: 15_000 })
  expect([polled(), api.app.waiterCount()]).toEqual([1, 0])
})

test('an error of the port ends the wait as that error', async () => {
  const { api, client, kept } = start()
  await using _api = api
  const { AppError } = await import('../../src/domain/errors')
  kept.failure = new AppError('conflict', 'another process speaks for this name')
  await expect(client().agents.poll(AGENT, poll())).rejects.toMatchObject({ code: 'conflict' })
  expect(api.app.waiterCount()).toBe(0)
})

test('a feed that can not be read delays no heartbeat and ends the wait early', async () => {
  const { api, client, polled, store } = start()
  await using _api = api
  store.feed.head = async () => {
    throw new Error('the disk is gone')
  }
  expect(await client().agents.poll(AGENT, poll())).toMatchObject({ assignments: [], leaseMs: 15_000 })
  expect(polled()).toBe(1)
})
