import { expect, test } from 'bun:test'
import { createClient } from '../../../src/api/client'
import { httpTransport } from '../../../src/api/client/http-transport'
import type { AgentRow } from '../../../src/domain/task/task-store'
import type { Command, PollInput } from '../../../src/domain/task/worker-protocol'
import { until } from '../../lab/until'
import { addAgent, addAttempt, addFeed, addTask, addTaskEntry } from '../seed'
import { overHttp } from '../start-api'
import { openTestStore, watchCalls } from '../test-store'

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

/** @param isOpen  a task is in the pool; the first worker's run of another one is to be cancelled */
async function start(workers = 1, isOpen = true) {
  const store = await openTestStore()
  const agents: AgentRow[] = []
  for (let i = 0; i < workers; i++)
    agents.push(await addAgent(store, i === 0 ? 'a-worker' : `a-worker${i}`, `lwk_${i}`))
  const [first] = agents
  if (first !== undefined && isOpen) {
    await addTask(store, 't-22222222')
    await addAttempt(store, await addTask(store, MINE, { status: 'in_progress' }), first, { wish: 'cancel' })
  }
  const reads = watchCalls(store.feed, 'after')
  const looks = watchCalls(store.tasks, 'hasWork')
  const api = await overHttp(store)
  const client = (i = 0) =>
    createClient(httpTransport({ token: `lwk_${i}`, origin: api.origin }), { baseUrl: api.origin })
  const polled = () => api.services.kept.of('poll').length
  return { api, client, polled, store, reads, looks, kept: api.services.kept }
}

test('a poll that may not wait, and one with something to hear, is answered at once', async () => {
  const { api, client, kept } = await start()
  await using _api = api
  expect((await client().agents.poll(AGENT, poll({ waitMs: 0 }))).leaseMs).toBe(15_000)
  kept.polls.push({ commands: [cancel] })
  expect((await client().agents.poll(AGENT, poll())).commands).toEqual([cancel])
  kept.polls.push({ lost: [`${MINE}.1` as never] })
  expect((await client().agents.poll(AGENT, poll())).lost.length).toBe(1)
  expect(api.app.waiterCount()).toBe(0)
})

test('a waiting poll hears of a task as soon as it was committed', async () => {
  const { api, client, kept, polled, store } = await start()
  await using _api = api
  kept.polls.push({}, { assignments: [kept.assignment()] })
  const waiting = client().agents.poll(AGENT, poll())
  await until('poll 1', () => polled() === 1)
  await addTaskEntry(store, 'task.created', { taskId: 't-22222222' })
  expect((await waiting).assignments.length).toBe(1)
  expect(kept.of('poll').map(([caller]) => caller)).toEqual(
    Array(2).fill({ kind: 'agent', agentId: 'a-worker', agentKind: 'worker' }),
  )
})

test('what the recorder commits, and moves that free no task, wake nobody', async () => {
  const { api, client, kept, looks, polled, store } = await start()
  await using _api = api
  kept.polls.push({}, { commands: [cancel] })
  const waiting = client().agents.poll(AGENT, poll())
  await until('poll 1', () => polled() === 1)
  await addFeed(store, 50, 'events.recorded')
  await addFeed(store, 5, 'session.updated')
  for (const to of ['in_progress', 'completed', 'failed', 'cancelled', 'backlog'])
    await addTaskEntry(store, 'task.moved', { taskId: 't-33333333', to })
  await addTaskEntry(store, 'attempt.updated', { taskId: 't-33333333', attemptId: 't-33333333.1' })
  await addTaskEntry(store, 'question.updated', { taskId: 't-33333333' })
  await addTaskEntry(store, 'task.moved', { taskId: 't-22222222', to: 'unassigned' })
  await waiting
  expect([polled(), looks.length]).toEqual([2, 1])
})

test('a worker without room hears of its own attempts and of nothing else', async () => {
  const { api, client, kept, looks, polled, store } = await start()
  await using _api = api
  kept.polls.push({}, { commands: [cancel] })
  const attempts = [{ id: `${MINE}.1` as never, generation: 1 }]
  const waiting = client().agents.poll(AGENT, poll({ capacity: 0, attempts }))
  await until('poll 1', () => polled() === 1)
  await addTaskEntry(store, 'task.created', { taskId: 't-22222222' })
  await addTaskEntry(store, 'question.updated', { taskId: 't-22222222' })
  await addTaskEntry(store, 'task.moved', { taskId: MINE, to: 'cancelled' })
  expect((await waiting).commands).toEqual([cancel])
  expect([polled(), looks.length]).toEqual([2, 1])
})

test('a look that finds nothing writes nothing, and the poll waits on', async () => {
  const { api, client, kept, looks, polled, store } = await start(1, false)
  await using _api = api
  kept.polls.push({}, { commands: [cancel] })
  const waiting = client().agents.poll(AGENT, poll())
  await until('poll 1', () => polled() === 1)
  for (let i = 1; i <= 3; i++) {
    await addTaskEntry(store, 'task.created', { taskId: 't-22222222' })
    await until(`look ${i}`, () => looks.length === i)
  }
  expect([polled(), api.app.waiterCount()]).toEqual([1, 1])
  await addTask(store, 't-22222222')
  await addTaskEntry(store, 'task.updated', { taskId: 't-22222222' })
  await waiting
  expect(polled()).toBe(2)
})

test('an entry that comes between the first look and the wait is not missed', async () => {
  const { api, client, kept, store } = await start()
  await using _api = api
  const empty = kept.service.poll
  let first = true
  kept.service.poll = async (...args) => {
    const answer = await empty(...args)
    if (first) await addTaskEntry(store, 'task.created', { taskId: 't-22222222' })
    first = false
    return answer
  }
  kept.polls.push({}, { assignments: [kept.assignment()] })
  expect((await client().agents.poll(AGENT, poll())).assignments.length).toBe(1)
})

test('many waiting workers cost the database one read of the feed for each commit', async () => {
  const { api, client, kept, looks, polled, reads, store } = await start(40)
  await using _api = api
  const waiting = Array.from({ length: 40 }, (_, i) => client(i).agents.poll(`a-worker${i || ''}` as never, poll()))
  await until('poll 40', () => polled() === 40)
  const before = reads.length
  for (let i = 0; i < 20; i++) {
    await addFeed(store, 1, 'events.recorded')
    await until('the next read', () => reads.length >= before + i + 1)
  }
  expect(reads.length - before).toBeLessThanOrEqual(2 * 20)
  expect([polled(), looks.length]).toEqual([40, 0])
  kept.polls.push(...Array.from({ length: 40 }, () => ({ commands: [cancel] })))
  await addTaskEntry(store, 'task.created', { taskId: 't-22222222' })
  expect((await Promise.all(waiting)).every(({ commands }) => commands.length === 1)).toBe(true)
})

test('a new task is looked at by one waiting worker first, by the others only a moment later', async () => {
  const { api, client, kept, polled, store } = await start(3)
  await using _api = api
  const waiting = [0, 1, 2].map((i) => client(i).agents.poll(`a-worker${i || ''}` as never, poll()))
  await until('poll 3', () => polled() === 3)
  kept.polls.push({ assignments: [kept.assignment()] })
  const looks: number[] = []
  store.tasks.hasWork = async () => {
    looks.push(performance.now())
    return looks.length === 1
  }
  await addTaskEntry(store, 'task.created', { taskId: 't-22222222' })
  const first = await Promise.race(waiting)
  expect(first.assignments.length).toBe(1)
  await until('the third look', () => looks.length === 3)
  expect(polled()).toBe(4)
  await api.app.endFollowers()
  await Promise.all(waiting)
})

test('who leaves while it waits is forgotten, and nothing is taken for it', async () => {
  const { api, client, polled, store } = await start()
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
    await until('the call to be given up', () => signal?.aborted === true)
  }
  const first = new AbortController()
  const waiting = client().agents.poll(AGENT, poll(), { signal: first.signal })
  await until('poll 1', () => polled() === 1)
  await leave(waiting, first)
  await until('the end of all waiting', () => api.app.waiterCount() === 0)

  const second = new AbortController()
  const looking = Promise.withResolvers<boolean>()
  store.tasks.hasWork = () => looking.promise
  const late = client().agents.poll(AGENT, poll(), { signal: second.signal })
  await until('poll 2', () => polled() === 2)
  await addTaskEntry(store, 'task.created', { taskId: 't-22222222' })
  await leave(late, second)
  looking.resolve(true)
  await until('the end of all waiting', () => api.app.waiterCount() === 0)
  expect(polled()).toBe(2)
})

test('a server that stops answers waiting polls with nothing, and later ones without waiting', async () => {
  const { api, client, polled } = await start()
  await using _api = api
  const waiting = client().agents.poll(AGENT, poll())
  await until('poll 1', () => polled() === 1)
  await api.app.endFollowers()
  await api.server.stop(true)
  expect(await waiting).toMatchObject({ assignments: [], commands: [], lost: [] })
})

test('a poll waits no longer than it said, and its lease is told', async () => {
  const { api, client, polled } = await start()
  await using _api = api
  expect(await client().agents.poll(AGENT, poll({ waitMs: 20 }))).toMatchObject({ assignments: [], leaseMs: 15_000 })
  expect([polled(), api.app.waiterCount()]).toEqual([1, 0])
})

test('an error of the port ends the wait as that error', async () => {
  const { api, client, kept } = await start()
  await using _api = api
  const { AppError } = await import('../../../src/domain/errors')
  kept.failure = new AppError('conflict', 'another process speaks for this name')
  await expect(client().agents.poll(AGENT, poll())).rejects.toMatchObject({ code: 'conflict' })
  expect(api.app.waiterCount()).toBe(0)
})

test('a feed that can not be read delays no heartbeat and ends the wait early', async () => {
  const { api, client, polled, store } = await start()
  await using _api = api
  store.feed.head = async () => {
    throw new Error('the disk is gone')
  }
  expect(await client().agents.poll(AGENT, poll())).toMatchObject({ assignments: [], leaseMs: 15_000 })
  expect(polled()).toBe(1)
})
