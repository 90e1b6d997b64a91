import { expect, test } from 'bun:test'
import { RESPONSES } from '../../src/api/contract/responses'
import type { RouteName } from '../../src/api/contract/routes'
import { AppError, type ErrorCode } from '../../src/domain/errors'
import { sessionId, taskId } from '../../src/domain/ids'
import type { TaskService } from '../../src/engine/tasks/task-service'
import { idNumber, MemoryStore, someSession, someTodo } from './memory-store'
import { someAgent, someAttempt, someEpic, someQuestion, someTask } from './memory-tasks'
import { inProcess, overHttp } from './start-api'

const OPERATOR = { kind: 'operator' }
const T = 't-11111111'
const json = { 'content-type': 'application/json' }

test('each request reaches the port with who asks, which task and what was said', async () => {
  const { client, services } = inProcess()
  const { tasks } = client
  const cases: [keyof TaskService, () => Promise<unknown>, unknown[]][] = [
    ['create', () => tasks.create({ task: 'x' }, { idempotencyKey: 'k' }), [{ task: 'x' }, 'k']],
    ['patch', () => tasks.patch(T, { title: 'y', dir: null }), [T, { title: 'y', dir: null }]],
    ['cancel', () => tasks.cancel(T, { reason: 'no more' }), [T, { reason: 'no more' }]],
    ['pause', () => tasks.pause(T), [T, {}]],
    ['resume', () => tasks.resume(T), [T]],
    ['retry', () => tasks.retry(T), [T, {}]],
    ['offer', () => tasks.offer(T, { agentId: 'w1', expiresInMs: 5 }), [T, { agentId: 'w1', expiresInMs: 5 }]],
    ['accept', () => tasks.accept(T, { agentId: 'w1' }), [T, { agentId: 'w1' }]],
    ['reject', () => tasks.reject(T, { reason: 'busy' }), [T, { reason: 'busy' }]],
    ['release', () => tasks.release(T), [T, {}]],
    ['progress', () => tasks.progress(T, { progress: 'half' }), [T, { progress: 'half' }]],
    ['finish', () => tasks.finish(T, { status: 'completed' }), [T, { status: 'completed' }]],
    ['setConversation', () => tasks.setConversation(T, idNumber(10).toUpperCase()), [T, idNumber(10)]],
    ['input', () => tasks.input(T, { text: 'stop', urgency: 'now' }), [T, { text: 'stop', urgency: 'now' }]],
    ['claim', () => tasks.claim(T, { leaseMs: 60_000 }), [T, { leaseMs: 60_000 }]],
    ['claim', () => tasks.claim(null, { agentId: 'w1' }), [null, { agentId: 'w1' }]],
    ['createEpic', () => client.epics.create({ title: 'e' }, { idempotencyKey: 'k' }), [{ title: 'e' }, 'k']],
    [
      'createInEpic',
      () => client.epics.createTask('ld-1', { task: 'x' }, { idempotencyKey: 'k' }),
      ['ld-1', { task: 'x' }, 'k'],
    ],
    [
      'answer',
      () => client.questions.answer('q-1a2b3c4d', { behavior: 'allow' }),
      ['q-1a2b3c4d', { behavior: 'allow' }],
    ],
  ]
  for (const [method, call, args] of cases) {
    await call()
    expect(services.kept.calls.at(-1)).toEqual([method, OPERATOR, ...args])
  }
})

test('what is said about agents and attempts reaches the port as it was said', async () => {
  const { client, services } = inProcess()
  const join = {
    name: 'w',
    kind: 'worker' as const,
    capabilities: ['gpu'],
    concurrency: 2,
    hostname: 'here',
    hostName: 'host-1',
    bootId: 'b',
    isFormerGone: true,
    version: '1',
  }
  expect((await client.agents.join(join)).token).toBe('lwk_new')
  expect(services.kept.calls.at(-1)).toEqual(['join', OPERATOR, join])
  const report = {
    log: [{ at: '2026-01-01T00:00:00.000Z', kind: 'text' as const, text: 'NUL \0 and a half \ud800' }],
    ended: {
      outcome: 'completed' as const,
      failureClass: null,
      reason: 'done',
      resetAt: null,
      output: 'x'.repeat(1_500_000),
      exitCode: 0,
      signal: null,
      numTurns: 1,
      costUsd: 0.25,
      usage: null,
    },
  }
  await client.attempts.report(`${T}.1` as never, report)
  expect(services.kept.calls.at(-1)).toEqual(['report', OPERATOR, `${T}.1`, report])
  const question = {
    toolUseId: null,
    toolName: 'Bash',
    input: { command: ['anything', 1, null] },
    description: null,
    default: 'deny' as const,
    deadlineMs: 1_000,
  }
  await client.attempts.ask(`${T}.1` as never, question)
  expect(services.kept.calls.at(-1)).toEqual(['ask', OPERATOR, `${T}.1`, question])
})

test('a create carries a key of its own, and the same one when the connection broke under it', async () => {
  const { app, services } = inProcess()
  const { createClient } = await import('../../src/api/client')
  let broken = 1
  const client = createClient(async (request) => {
    const response = await app.fetch(request)
    if (broken-- > 0) throw new Error('reset')
    return response
  })
  await client.tasks.create({ task: 'x' })
  const keys = services.kept.of('create').map((args) => args[2])
  expect(keys.length).toBe(2)
  expect(keys[0]).toBe(keys[1])
  expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/)
  await client.tasks.create({ task: 'x' })
  expect(services.kept.of('create').at(-1)?.[2]).not.toBe(keys[0])
})

test('an Idempotency-Key is 1 to 200 printable characters, or none', async () => {
  await using api = overHttp()
  const create = (headers: Record<string, string>) =>
    api.send('/api/tasks', { method: 'POST', body: '{"task":"x"}', headers: { ...json, ...headers } })
  expect((await create({})).status).toBe(200)
  expect((await create({ 'idempotency-key': 'k '.repeat(99) })).status).toBe(200)
  for (const key of ['k'.repeat(201), 'caf\u00e9']) expect((await create({ 'idempotency-key': key })).status).toBe(400)
  expect(api.services.kept.of('create').map((args) => args[2])).toEqual([null, 'k '.repeat(99).trim()])
})

test('a create that chooses its conversation is refused and told how to', async () => {
  const { client, services } = inProcess()
  const wrong = { task: 'x', claudeSessionId: idNumber(1) } as never
  await expect(client.tasks.create(wrong)).rejects.toMatchObject({
    code: 'invalid',
    hint: expect.stringContaining('claude-session'),
  })
  await expect(client.epics.createTask('ld-1', wrong)).rejects.toMatchObject({ code: 'invalid' })
  expect(services.kept.calls).toEqual([])
})

test('fields that are unknown, of another type or out of bounds are refused before the port', async () => {
  const { app, services } = inProcess()
  const cases: [string, string, unknown, RegExp][] = [
    ['POST', '/api/tasks', {}, /body "task" is missing/],
    ['POST', '/api/tasks', { task: '' }, /at least 1/],
    ['POST', '/api/tasks', { task: 'x', status: 'completed' }, /one of backlog/],
    ['POST', '/api/tasks', { task: 'x', priority: 101 }, /at most 100/],
    ['POST', '/api/tasks', { task: 'x', priority: 1.5 }, /whole number/],
    ['POST', '/api/tasks', { task: 'x', maxCostUsd: 'much' }, /"maxCostUsd" must be a number/],
    ['POST', '/api/tasks', { task: 'x', notBefore: 'tomorrow' }, /is not a time/],
    ['POST', '/api/tasks', { task: 'x', retryPolicy: { tries: 3 } }, /unknown fields: "tries"/],
    ['POST', '/api/tasks', { task: 'x', __proto__x: 1 }, /unknown fields/],
    ['POST', '/api/tasks', [], /must be an object/],
    ['PATCH', `/api/tasks/${T}`, { status: 'completed' }, /one of backlog, unassigned/],
    ['PATCH', `/api/tasks/${T}`, { agentId: 5 }, /must be text/],
    ['POST', `/api/tasks/${T}/finish`, { status: 'cancelled' }, /one of completed, failed/],
    ['POST', `/api/tasks/${T}/cancel`, { force: true }, /unknown fields/],
    ['PUT', `/api/tasks/${T}/claude-session`, { claudeSessionId: '../../etc' }, /is not a uuid/],
    ['POST', `/api/tasks/${T}/claim`, { leaseMs: 3_600_001 }, /at most 3600000/],
    ['POST', '/api/agents/a-1/poll', { bootId: 'b', capacity: 1, attempts: [], waitMs: 30_001 }, /at most 30000/],
    ['POST', `/api/attempts/${T}.1/report`, { log: [{ at: 'now', kind: 'text', text: '' }] }, /is not a time/],
    [
      'POST',
      `/api/attempts/${T}.1/report`,
      { log: [{ at: '2026-01-01T00:00:00Z', kind: 'move', text: '' }] },
      /one of/,
    ],
    ['POST', '/api/tasks/a%2fb/cancel', {}, /is not an id/],
  ]
  for (const [method, target, body, message] of cases) {
    const response = await app.fetch(
      new Request(`http://lodeline.invalid${target}`, { method, body: JSON.stringify(body), headers: json }),
    )
    const { error } = (await response.json()) as { error: { code: string; message: string } }
    expect([target, response.status, error.code]).toEqual([target, 400, 'invalid'])
    expect(error.message).toMatch(message)
  }
  expect(services.kept.calls).toEqual([])
})

test('an error of the port keeps its code, status and details', async () => {
  await using api = overHttp()
  for (const [code, status] of [
    ['conflict', 409],
    ['not_found', 404],
    ['lease_lost', 412],
    ['too_large', 413],
    ['forbidden', 403],
  ] as [ErrorCode, number][]) {
    api.services.kept.failure = new AppError(code, 'no', { hint: 'do so', details: { status: 'completed' } })
    await expect(api.client.tasks.finish(T, { status: 'failed' })).rejects.toMatchObject({
      code,
      status,
      hint: 'do so',
      details: { status: 'completed' },
    })
  }
})

test('a task is shown with everything that hangs on it, as the schema says', async () => {
  const store = new MemoryStore()
  const session = idNumber(7)
  store.rows.push(someSession(session))
  store.todoRows.push(someTodo(session, 'td-1'))
  store.tasks.rows.push(
    someTask('t-00000001', { status: 'completed', title: 'before' }),
    someTask(T, {
      claudeSessionId: sessionId(session),
      dependsOn: [taskId('t-00000001'), taskId('t-99999999')],
    }),
    someTask('t-22222222', { parentTaskId: taskId(T) }),
  )
  store.tasks.attemptRows.push(someAttempt(T, 'a-1'))
  store.tasks.questionRows.push(someQuestion('q-1a2b3c4d', T), someQuestion('q-2', 't-22222222'))
  const { client, get } = inProcess(store)
  const answer = await client.tasks.get(T)
  expect(RESPONSES['tasks.get'].parse(answer)).toEqual(answer)
  expect(answer.session?.id).toBe(sessionId(session))
  expect(answer.todos.length).toBe(1)
  expect(answer.attempts.map(({ id }) => String(id))).toEqual([`${T}.1`])
  expect(answer.children.map(({ id }) => String(id))).toEqual(['t-22222222'])
  expect(answer.questions.map(({ id }) => String(id))).toEqual(['q-1a2b3c4d'])
  expect(answer.dependencies).toEqual([
    { id: taskId('t-00000001'), status: 'completed', title: 'before' },
    { id: taskId('t-99999999'), status: null, title: null },
  ])
  const tree = await client.tasks.tree(T)
  expect(RESPONSES['tasks.tree'].parse(tree)).toEqual(tree)
  expect(tree.tree.children.length).toBe(1)
  for (const [name, target] of [
    ['tasks.list', '/api/tasks'],
    ['tasks.log', `/api/tasks/${T}/log`],
    ['questions.list', '/api/questions'],
    ['epics.list', '/api/epics'],
    ['agents.list', '/api/agents'],
  ] as [RouteName, string][]) {
    const body = (await (await get(target)).json()) as never
    expect(RESPONSES[name]?.parse(body)).toEqual(body)
  }
})

test('a unique beginning of an id is enough to read a task; another gets the candidates, or the nearest', async () => {
  const store = new MemoryStore()
  store.tasks.rows.push(someTask('t-abcd1111'), someTask('t-abcd2222'), someTask('t-zzzz1111'))
  const { client } = inProcess(store)
  expect(String((await client.tasks.get('t-zz')).task.id)).toBe('t-zzzz1111')
  await expect(client.tasks.tree('t-abcd')).rejects.toMatchObject({
    code: 'conflict',
    details: { candidates: ['t-abcd1111', 't-abcd2222'] },
  })
  await expect(client.tasks.get('t-abcd1112')).rejects.toMatchObject({
    code: 'not_found',
    hint: 'did you mean t-abcd1111?',
  })
  await expect(client.tasks.log('t-qqqqqqqq')).rejects.toMatchObject({
    code: 'not_found',
    hint: expect.stringContaining('lode task list'),
  })
})

test('a list is filtered by the store, with names made ids', async () => {
  const store = new MemoryStore()
  store.tasks.rows.push(someTask(T))
  store.tasks.agentRows.push(someAgent('a-1', { name: 'w1' }))
  const { client } = inProcess(store)
  await client.tasks.list({
    status: ['pending', 'offered'],
    agentId: 'w1',
    parentTaskId: 't-111',
    epicId: 'ld-1',
    tag: 'a,b',
    text: 'words',
    order: 'queue',
    limit: 5,
  })
  expect(store.tasks.filters.at(-1)).toEqual({
    filter: {
      statuses: ['pending', 'offered'],
      agentId: 'a-1' as never,
      parentTaskId: taskId(T),
      epicId: 'ld-1' as never,
      tag: 'a,b',
      text: 'words',
    },
    order: 'queue',
  })
  await expect(client.tasks.list({ agentId: 'nobody' })).rejects.toMatchObject({
    code: 'not_found',
    hint: 'there are: w1',
  })
  expect((await Array.fromAsync(client.tasks.all({ limit: 1 }))).length).toBe(1)
})

test('an epic is told with its tasks by status, and an issue of another type is none', async () => {
  const store = new MemoryStore()
  store.tasks.issueRows.push(someEpic('ld-1111'), someEpic('ld-2222', { type: 'bug' }))
  const { client } = inProcess(store)
  expect((await client.epics.list()).epics.map(({ epic }) => String(epic.id))).toEqual(['ld-1111'])
  expect((await client.epics.get('ld-1111')).counts).toEqual({ completed: 1, pending: 2 })
  await expect(client.epics.get('ld-2222')).rejects.toMatchObject({ code: 'not_found' })
})

test("a run's output is taken as bytes, up to 4 MiB and where it belongs", async () => {
  const store = new MemoryStore()
  store.tasks.attemptRows.push(someAttempt(T, 'a-1'))
  await using api = overHttp(store)
  const id = `${T}.1` as never
  expect(await api.client.attempts.stream(id, 7, new TextEncoder().encode('{"a":1}\n'))).toEqual({ offset: 15 })
  expect(api.services.streams).toEqual([{ attempt: id, offset: 7, text: '{"a":1}\n' }])
  await expect(api.client.attempts.stream(id, 0, new Uint8Array(4_194_305))).rejects.toMatchObject({
    code: 'too_large',
  })
  await expect(api.client.attempts.stream(`${T}.2` as never, 0, new Uint8Array(1))).rejects.toMatchObject({
    code: 'not_found',
  })
  const form = await api.send(`/api/attempts/${T}.1/stream?offset=0`, {
    method: 'PUT',
    body: 'x',
    headers: { 'content-type': 'text/plain' },
  })
  expect(form.status).toBe(400)
  expect(api.services.streams.length).toBe(1)
})

test('a snapshot comes as bytes with the uuid of its last line', async () => {
  const store = new MemoryStore()
  store.rows.push(someSession(idNumber(7)), someSession(`f${idNumber(1).slice(1)}`))
  await using api = overHttp(store)
  const snapshot = await api.client.conversations.snapshot(sessionId(idNumber(7)))
  expect([new TextDecoder().decode(snapshot.bytes), snapshot.lastUuid]).toEqual(['{}\n', 'u-9'])
  await expect(api.client.conversations.snapshot(sessionId(`f${idNumber(1).slice(1)}`))).rejects.toMatchObject({
    code: 'not_found',
  })
})

test('commands without a server do what is due before they show tasks, where any is open', async () => {
  const store = new MemoryStore()
  const local = inProcess(store)
  await local.client.tasks.list()
  expect(local.services.kept.of('sweep').length).toBe(0)
  store.tasks.rows.push(someTask(T))
  await local.client.tasks.list()
  expect(local.services.kept.of('sweep').length).toBe(1)
  await using api = overHttp(store)
  await api.client.tasks.list()
  expect(api.services.kept.of('sweep').length).toBe(0)
})
