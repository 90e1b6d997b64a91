import { expect, test } from 'bun:test'
import { listAll } from '../../../src/api/client/list-all'
import { operations } from '../../../src/api/contract/operations'
import { AppError, type ErrorCode } from '../../../src/domain/errors'
import { issueId, questionId, sessionId, taskId } from '../../../src/domain/ids'
import type { TaskService } from '../../../src/engine/tasks/task-service'
import { idNumber } from '../../samples/sessions'
import { sampleIssue, sampleQuestion } from '../../store-contract/tasks-sample'
import { type JsonOperation, schemaOf } from '../answers/declared-answers'
import { addAgent, addAttempt, addSession, addTask, putSession, putTodos } from '../seed'
import { inProcess, overHttp } from '../start-api'
import { openTestStore, watchCalls } from '../test-store'

const OPERATOR = { kind: 'operator' }
const T = 't-11111111'
const json = { 'content-type': 'application/json' }

test('each request reaches the port with who asks, which task and what was said', async () => {
  const { client, services } = await inProcess()
  const { tasks } = client
  const cases: [keyof TaskService, () => Promise<unknown>, unknown[]][] = [
    ['create', () => tasks.create({ task: 'x' }, { idempotencyKey: 'k' }), [{ task: 'x' }, 'k']],
    ['patch', () => tasks.patch(T, { title: 'y', dir: null }), [T, { title: 'y', dir: null }]],
    ['cancel', () => tasks.cancel(T, { reason: 'no more' }), [T, { reason: 'no more' }]],
    ['pause', () => tasks.pause(T), [T, {}]],
    ['resume', () => tasks.resume(T), [T]],
    ['retry', () => tasks.retry(T), [T, {}]],
    ['offer', () => tasks.offer(T, { agentId: 'w1', expiresInMs: 5_000 }), [T, { agentId: 'w1', expiresInMs: 5_000 }]],
    ['accept', () => tasks.accept(T, { agentId: 'w1' }), [T, { agentId: 'w1' }]],
    ['reject', () => tasks.reject(T, { reason: 'busy' }), [T, { reason: 'busy' }]],
    ['release', () => tasks.release(T), [T, {}]],
    ['progress', () => tasks.progress(T, { progress: 'half' }), [T, { progress: 'half' }]],
    ['finish', () => tasks.finish(T, { status: 'completed' }), [T, { status: 'completed' }]],
    [
      'setConversation',
      () => tasks.setConversation(T, { claudeSessionId: idNumber(10).toUpperCase() }),
      [T, idNumber(10)],
    ],
    ['input', () => tasks.input(T, { text: 'stop', urgency: 'now' }), [T, { text: 'stop', urgency: 'now' }]],
    ['claim', () => tasks.claim(T, { leaseMs: 60_000 }), [T, { leaseMs: 60_000 }]],
    ['claim', () => tasks.claimNext({ agentId: 'w1' }), [null, { agentId: 'w1' }]],
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
  const { client, services } = await inProcess()
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
  const { app, services } = await inProcess()
  const { createClient } = await import('../../../src/api/client')
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
  await using api = await overHttp()
  const create = (headers: Record<string, string>) =>
    api.send('/api/tasks', { method: 'POST', body: '{"task":"x"}', headers: { ...json, ...headers } })
  expect((await create({})).status).toBe(200)
  expect((await create({ 'idempotency-key': 'k '.repeat(99) })).status).toBe(200)
  for (const key of ['k'.repeat(201), 'caf\u00e9']) expect((await create({ 'idempotency-key': key })).status).toBe(400)
  expect(api.services.kept.of('create').map((args) => args[2])).toEqual([null, 'k '.repeat(99).trim()])
})

test('a create that chooses its conversation is refused and told how to', async () => {
  const { client, services } = await inProcess()
  const wrong = { task: 'x', claudeSessionId: idNumber(1) } as never
  await expect(client.tasks.create(wrong)).rejects.toMatchObject({
    code: 'invalid',
    hint: expect.stringContaining('claude-session'),
  })
  await expect(client.epics.createTask('ld-1', wrong)).rejects.toMatchObject({ code: 'invalid' })
  expect(services.kept.calls).toEqual([])
})

test('fields that are unknown, of another type or out of bounds are refused before the port', async () => {
  const { app, services } = await inProcess()
  const cases: [string, string, unknown, RegExp][] = [
    ['POST', '/api/tasks', {}, /^The field "task" is missing\.$/],
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
  await using api = await overHttp()
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
  const store = await openTestStore()
  const session = idNumber(7)
  const agent = await addAgent(store, 'a-1', 'lwk_1')
  const before = await addTask(store, 't-00000001', { status: 'completed', title: 'before' })
  const gone = await addTask(store, 't-99999999')
  const find = store.tasks.find.bind(store.tasks)
  store.tasks.find = async (id) => (id === gone.id ? undefined : await find(id))
  const task = await addTask(store, T, { lastSessionId: sessionId(session) })
  const child = await addTask(store, 't-22222222', { parentTaskId: task.id, parentKey: task.key })
  const [own, other] = [await addAttempt(store, task, agent), await addAttempt(store, child, agent)]
  await store.write(async (tx) => {
    await putTodos(tx, await putSession(tx, session), ['a to-do'])
    await tx.tasks.addDependencies(task.key, [before.key, gone.key])
    for (const [id, { key, taskKey }] of [['q-1a2b3c4d', own] as const, ['q-2', other] as const])
      await tx.tasks.insertQuestion(sampleQuestion({ attemptKey: key, taskKey }, { id: questionId(id) }))
  })
  const { client, get } = await inProcess(store)
  const answer = await client.tasks.get(T)
  expect(schemaOf(operations.tasks.get).parse(answer)).toEqual(answer)
  expect(answer.session?.id).toBe(sessionId(session))
  expect(answer.todos.length).toBe(1)
  expect(answer.attempts.map(({ id }) => String(id))).toEqual([`${T}.1`])
  expect(answer.children.map(({ id }) => String(id))).toEqual(['t-22222222'])
  expect(answer.questions.map(({ id }) => String(id))).toEqual(['q-1a2b3c4d'])
  expect(answer.dependencies).toEqual([
    { id: before.id, status: 'completed', title: 'before' },
    { id: gone.id, status: null, title: null },
  ])
  const tree = await client.tasks.tree(T)
  expect(schemaOf(operations.tasks.tree).parse(tree)).toEqual(tree)
  expect(tree.tree.children.length).toBe(1)
  for (const [operation, target] of [
    [operations.tasks.list, '/api/tasks'],
    [operations.tasks.log, `/api/tasks/${T}/log`],
    [operations.questions.list, '/api/questions'],
    [operations.epics.list, '/api/epics'],
    [operations.agents.list, '/api/agents'],
  ] as [JsonOperation, string][]) {
    const body = (await (await get(target)).json()) as never
    expect(schemaOf(operation).parse(body)).toEqual(body)
  }
})

test('a unique beginning of an id is enough to read a task; another gets the candidates, or the nearest', async () => {
  const store = await openTestStore()
  for (const id of ['t-abcd1111', 't-abcd2222', 't-zzzz1111']) await addTask(store, id)
  const { client } = await inProcess(store)
  expect(String((await client.tasks.get('t-zz')).task.id)).toBe('t-zzzz1111')
  await expect(client.tasks.tree('t-abcd')).rejects.toMatchObject({
    code: 'conflict',
    details: { candidates: ['t-abcd1111', 't-abcd2222'] },
  })
  await expect(client.tasks.get('t-abcd1112')).rejects.toMatchObject({
    code: 'not_found',
    hint: 'Did you mean t-abcd1111?',
  })
  await expect(client.tasks.log('t-qqqqqqqq')).rejects.toMatchObject({
    code: 'not_found',
    hint: expect.stringContaining('lode task list'),
  })
})

test('a list is filtered by the store, with names made ids', async () => {
  const store = await openTestStore()
  await addTask(store, T)
  await addAgent(store, 'a-1', 'lwk_1', { name: 'w1' })
  const lists = watchCalls(store.tasks, 'list')
  const { client } = await inProcess(store)
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
  expect(lists.at(-1)).toEqual([
    {
      statuses: ['pending', 'offered'],
      agentId: 'a-1' as never,
      parentTaskId: taskId(T),
      epicId: 'ld-1' as never,
      tag: 'a,b',
      text: 'words',
    },
    { limit: 5 },
    'queue',
  ])
  await expect(client.tasks.list({ agentId: 'nobody' })).rejects.toMatchObject({
    code: 'not_found',
    hint: 'Known agents: w1.',
  })
  expect((await Array.fromAsync(listAll(client.tasks.list, { limit: 1 }, 'tasks'))).length).toBe(1)
})

test('an epic is told with its tasks by status, and an issue of another type is none', async () => {
  const store = await openTestStore()
  await store.write(async ({ tasks }) => {
    await tasks.insertIssue(sampleIssue({ id: issueId('ld-1111') }))
    await tasks.insertIssue(sampleIssue({ id: issueId('ld-2222'), type: 'bug' }))
  })
  for (const [n, status] of (['completed', 'pending', 'pending'] as const).entries())
    await addTask(store, `t-0000000${n}`, { epicId: issueId('ld-1111'), status })
  const { client } = await inProcess(store)
  expect((await client.epics.list()).epics.map(({ epic }) => String(epic.id))).toEqual(['ld-1111'])
  expect((await client.epics.get('ld-1111')).counts).toEqual({ completed: 1, pending: 2 })
  await expect(client.epics.get('ld-2222')).rejects.toMatchObject({ code: 'not_found' })
})

test("a run's output is taken as bytes, up to 4 MiB and where it belongs", async () => {
  const store = await openTestStore()
  await addAttempt(store, await addTask(store, T), await addAgent(store, 'a-1', 'lwk_1'))
  await using api = await overHttp(store)
  const id = `${T}.1` as never
  expect(await api.client.attempts.stream(id, { offset: 7 }, new TextEncoder().encode('{"a":1}\n'))).toEqual({
    offset: 15,
  })
  expect(api.services.streams).toEqual([{ attempt: id, offset: 7, text: '{"a":1}\n' }])
  await expect(api.client.attempts.stream(id, { offset: 0 }, new Uint8Array(4_194_305))).rejects.toMatchObject({
    code: 'too_large',
  })
  await expect(api.client.attempts.stream(`${T}.2` as never, { offset: 0 }, new Uint8Array(1))).rejects.toMatchObject({
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
  const store = await openTestStore()
  for (const id of [idNumber(7), `f${idNumber(1).slice(1)}`]) await addSession(store, id)
  await using api = await overHttp(store)
  const snapshot = await api.client.conversations.snapshot(sessionId(idNumber(7)))
  expect([new TextDecoder().decode(snapshot.bytes), snapshot.lastUuid]).toEqual(['{}\n', 'u-9'])
  await expect(api.client.conversations.snapshot(sessionId(`f${idNumber(1).slice(1)}`))).rejects.toMatchObject({
    code: 'not_found',
  })
})

test('commands without a server do what is due before they show tasks, where any is open', async () => {
  const store = await openTestStore()
  const local = await inProcess(store)
  await local.client.tasks.list()
  expect(local.services.kept.of('sweep').length).toBe(0)
  await addTask(store, T)
  await local.client.tasks.list()
  expect(local.services.kept.of('sweep').length).toBe(1)
  await using api = await overHttp(store)
  await api.client.tasks.list()
  expect(api.services.kept.of('sweep').length).toBe(0)
})
