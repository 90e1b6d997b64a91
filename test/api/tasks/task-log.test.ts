import { expect, test } from 'bun:test'
import { connect } from 'node:net'
import { createClient } from '../../../src/api/client'
import type { Store } from '../../../src/domain/store'
import type { TaskLogLine } from '../../../src/domain/task/task'
import { until } from '../../lab/until'
import { addAgent, addAttempt, addTask, addTaskEntry } from '../seed'
import { inProcess, overHttp, TOKEN } from '../start-api'
import { openTestStore } from '../test-store'

const T = 't-11111111'

async function withLog(count: number) {
  const store = await openTestStore()
  const task = await addTask(store, T, { status: 'in_progress' })
  const attempt = await addAttempt(store, task, await addAgent(store, 'a-1', 'lwk_1'))
  const logged = Object.assign(store, { task, attempt })
  await addLines(logged, count)
  return logged
}

type Logged = Awaited<ReturnType<typeof withLog>>

const addLines = (store: Store & Pick<Logged, 'task'>, count: number, text = 'a line') =>
  store.write(({ tasks }) =>
    tasks.appendLog(
      store.task.key,
      Array.from({ length: count }, () => ({ at: 0, attempt: 1, kind: 'text' as const, text })),
    ),
  )

const complete = (store: Logged) =>
  store.write(({ tasks }) => tasks.updateTask(store.task.key, { status: 'completed' }))

async function finish(store: Logged): Promise<void> {
  await complete(store)
  await store.write(({ tasks, now }) =>
    tasks.updateAttempt(store.attempt.key, { endedAt: now, leaseExpiresAt: null, outcome: 'completed' }),
  )
}

const ids = (lines: TaskLogLine[]) => lines.map(({ id }) => id)
const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)

test('a page begins behind the line that the reader has and holds as many as it asked for', async () => {
  const { client } = await inProcess(await withLog(10))
  const page = await client.tasks.log(T, { after: 3, limit: 4 })
  expect(ids(page.lines)).toEqual([4, 5, 6, 7])
  expect(String(page.task.id)).toBe(T)
  expect(ids((await client.tasks.log('t-11')).lines)).toEqual(numbers(1, 10))
})

test('a follower gets what is there, what comes, and the end when the task is final and its attempt over', async () => {
  const store = await withLog(250)
  await using api = await overHttp(store, { logLookMs: 60_000 })
  const got: number[] = []
  const following = (async () => {
    for await (const { id } of api.client.tasks.followLog(T)) got.push(id)
  })()
  await until('line 250', () => got.length === 250)
  await addLines(store, 2)
  await api.client.attempts.report(`${T}.1` as never, {
    log: [{ at: '2026-01-01T00:00:00Z', kind: 'text', text: 'x' }],
  })
  await until('line 252', () => got.length === 252)
  await complete(store)
  // Its attempt is still at work: its last words are waited for.
  await addLines(store, 1)
  await addTaskEntry(store, 'task.moved', { taskId: T, to: 'completed' })
  await until('line 253', () => got.length === 253)
  await finish(store)
  await addLines(store, 1, 'exited with code 0')
  await addTaskEntry(store, 'attempt.updated', { taskId: T, attemptId: `${T}.1` })
  await following
  expect(got).toEqual(numbers(1, 254))
  expect(api.log.lines.join()).toContain('a task log follower disconnected')
})

test('lines that no entry tells of are found all the same', async () => {
  const store = await withLog(1)
  await using api = await overHttp(store, { logLookMs: 10 })
  const iterator = api.client.tasks.followLog(T)[Symbol.asyncIterator]()
  expect((await iterator.next()).value.id).toBe(1)
  await addLines(store, 1)
  expect((await iterator.next()).value.id).toBe(2)
  await iterator.return?.()
})

test('a follower goes on over lost connections: each line once, in order', async () => {
  const store = await withLog(30)
  const { app } = await inProcess(store, { logLookMs: 5 })
  let cut = 0
  const client = createClient(async (request) => {
    const response = await app.fetch(request)
    if (cut++ >= 3 || response.body === null) return response
    const reader = response.body.getReader()
    let pieces = 0
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const { value } = await reader.read()
        // In the middle of what was sent.
        if (pieces++ === 1 && value !== undefined) controller.enqueue(value.subarray(0, 700 + cut * 100))
        else if (value !== undefined) return controller.enqueue(value)
        await reader.cancel()
        controller.error(new Error('reset'))
      },
    })
    return new Response(body, response)
  })
  await finish(store)
  const lines = await Array.fromAsync(client.tasks.followLog(T, { after: 2 }, { retryWaitMs: 0 }))
  expect(ids(lines)).toEqual(numbers(3, 30))
  expect(cut).toBeGreaterThan(3)
})

test('Last-Event-ID goes before after, silence is broken by a comment, and a bad place is refused', async () => {
  const store = await withLog(5)
  const { get } = await inProcess(store, { heartbeatMs: 5 })
  const events = { accept: 'text/event-stream' }
  const response = await get(`/api/tasks/${T}/log?after=1`, { ...events, 'last-event-id': '4' })
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const read = async () => new TextDecoder().decode((await reader.read()).value)
  expect(await read()).toBe('retry: 1000\nid: 4\n\n')
  expect((await read()).match(/^id: \d+/gm)).toEqual(['id: 5'])
  expect(await read()).toBe(':\n\n')
  await reader.cancel()
  expect((await get(`/api/tasks/${T}/log`, { ...events, 'last-event-id': 'x' })).status).toBe(400)
  expect((await get('/api/tasks/t-99999999/log', events)).status).toBe(404)
})

test('a follower that takes nothing is cut and holds no memory of the log', async () => {
  const store = await withLog(0)
  await addLines(store, 4_000, 'x'.repeat(4_000))
  await using api = await overHttp(store, { stallMs: 50 })
  const socket = connect(api.port, '127.0.0.1')
  socket.pause()
  const cut = api.log.next('"why":"stalled"')
  socket.write(
    `GET /api/tasks/${T}/log HTTP/1.1\r\nhost: 127.0.0.1:${api.port}\r\nauthorization: Bearer ${TOKEN}\r\naccept: text/event-stream\r\n\r\n`,
  )
  await cut
  socket.destroy()
})

test('followers of a log end when the server does', async () => {
  const store = await withLog(1)
  await using api = await overHttp(store)
  const response = await api.send(`/api/tasks/${T}/log`, { headers: { accept: 'text/event-stream' } })
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  await reader.read()
  const ended = (async () => {
    while (!(await reader.read()).done);
  })()
  await api.app.endFollowers()
  await ended
})
