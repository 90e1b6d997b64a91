import { expect, test } from 'bun:test'
import { createClient } from '../../../src/api/client'
import { httpTransport } from '../../../src/api/client/http-transport'
import type { CallerKind } from '../../../src/api/contract/callers'
import { allOperations } from '../../../src/api/contract/operations'
import { isNamed } from '../../../src/domain/access/access'
import { questionId, sessionId, tokenId } from '../../../src/domain/ids'
import { idNumber } from '../../samples/sessions'
import { sampleQuestion } from '../../store-contract/tasks-sample'
import { addAgent, addAttempt, addTask, addTaskEntry, putSession, putTodos, sha256 } from '../seed'
import { overHttp, TOKEN } from '../start-api'
import { openTestStore } from '../test-store'

const T = 't-11111111'
const TOKENS: Record<CallerKind, string> = {
  operator: TOKEN,
  lead: 'lld_lead',
  worker: 'lwk_worker',
  attempt: 'lat_attempt',
  approver: 'lus_approver',
  viewer: 'lvw_viewer',
}

const SESSION = idNumber(3)

async function peopled() {
  const store = await openTestStore()
  const own = await addTask(store, T, { lastSessionId: sessionId(SESSION) })
  const foreign = await addTask(store, 't-22222222', { lastSessionId: sessionId(SESSION) })
  await addAgent(store, 'a-lead', TOKENS.lead, { kind: 'lead' })
  const worker = await addAgent(store, 'a-worker', TOKENS.worker)
  await store.write(({ tokens }) =>
    tokens.insert({
      id: tokenId('k-viewer00'),
      purpose: 'viewer',
      name: 'Ada',
      tokenHash: sha256(TOKENS.viewer),
      createdAt: 1,
    }),
  )
  await store.write(async ({ tokens, users }) => {
    await users.insert({ name: 'Bo', fold: 'bo', role: 'approver', addedBy: 'operator', createdAt: 1 })
    const userKey = (await users.byFold('bo'))?.key ?? null
    const tokenHash = sha256(TOKENS.approver)
    await tokens.insert({ id: tokenId('k-approver'), purpose: 'user', name: 'Bo', userKey, tokenHash, createdAt: 1 })
  })
  const run = await addAttempt(store, own, worker, { token: TOKENS.attempt })
  const other = await addAttempt(store, foreign, await addAgent(store, 'a-other', 'lwk_other'))
  return Object.assign(store, { run, other })
}

const as = (api: { origin: string }, token: string) =>
  createClient(httpTransport({ token, origin: api.origin }), { baseUrl: api.origin })

test('each route takes the tokens that it names and refuses the others before it reads the request', async () => {
  await using api = await overHttp(await peopled())
  for (const route of allOperations) {
    if (route.access === 'public') continue
    for (const [kind, token] of Object.entries(TOKENS) as [CallerKind, string][]) {
      const isTaken = isNamed(route.access, kind)
      if (isTaken && route.answer === 'events') continue
      const path = route.path.replaceAll(/:\w+/g, '!')
      const response = await fetch(api.origin + path, {
        method: route.method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'text/plain' },
        ...(route.method !== 'GET' && { body: 'no json' }),
      })
      // Handlers refuse more, by what the request is about: another's session, a run whose task does not lead.
      const said = await response.text()
      // Errors of hooks have no text.
      const isRefused = response.status === 403 && (said === '' || said.includes('does not allow this'))
      expect([route.path, kind, isRefused]).toEqual([route.path, kind, !isTaken])
    }
  }
})

test('the port is told who calls by the token alone, whatever headers and fields claim', async () => {
  await using api = await overHttp(await peopled())
  const claims = { 'x-agent-id': 'a-lead', 'x-lodeline-agent': 'a-lead', 'lodeline-agent-id': 'a-lead' }
  const create = (token: string) =>
    fetch(`${api.origin}/api/tasks`, {
      method: 'POST',
      body: '{"task":"x"}',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...claims },
    })
  const { viewer, approver, ...acting } = TOKENS
  for (const looking of [viewer, approver]) expect((await create(looking)).status).toBe(403)
  for (const token of Object.values(acting)) expect((await create(token)).status).toBe(200)
  expect(api.services.kept.of('create').map(([caller]) => caller)).toEqual([
    { kind: 'operator' },
    { kind: 'agent', agentId: 'a-lead', agentKind: 'lead' },
    { kind: 'agent', agentId: 'a-worker', agentKind: 'worker' },
    { kind: 'attempt', attemptId: `${T}.1`, taskId: T, agentId: 'a-worker', generation: 1 },
  ])
})

test('a token that nobody was given is refused as none is', async () => {
  await using api = await overHttp(await peopled())
  const bodies = new Set<string>()
  for (const token of ['lwk_worker2', 'lwk_', 'lat_', 'lld_lead ', 'lxx_worker', 'x']) {
    const response = await fetch(`${api.origin}/api/tasks`, { headers: { authorization: `Bearer ${token}` } })
    expect([token, response.status === 401]).toEqual([token, token.trim() !== 'lld_lead'])
    if (response.status === 401) bodies.add(await response.text())
  }
  expect(bodies.size).toBe(1)
})

test('a token of an agent that another server ended over the same database is refused by the very next request', async () => {
  const store = await peopled()
  await using api = await overHttp(store)
  const row = await addAgent(store, 'a-1', 'lwk_old')
  const before = as(api, 'lwk_old')
  await before.tasks.list()
  await store.write(({ tasks }) => tasks.updateAgent(row.key, { tokenHash: null }))
  await expect(before.tasks.list()).rejects.toMatchObject({ code: 'unauthorized' })
})

test('a worker writes the output of its own attempts only, and a run none', async () => {
  await using api = await overHttp(await peopled())
  const own = `${T}.1` as never
  const foreign = 't-22222222.1' as never
  const worker = as(api, TOKENS.worker)
  expect(await worker.attempts.stream(own, { offset: 0 }, new Uint8Array(3))).toEqual({ offset: 3 })
  for (const client of [worker, as(api, TOKENS.attempt)])
    await expect(client.attempts.stream(foreign, { offset: 0 }, new Uint8Array(3))).rejects.toMatchObject({
      code: 'forbidden',
    })
  const run = as(api, TOKENS.attempt)
  await expect(run.attempts.stream(own, { offset: 0 }, new Uint8Array(3))).rejects.toMatchObject({ code: 'forbidden' })
  expect(api.services.streams.every(({ attempt }) => attempt === own)).toBe(true)
})

test('a worker records files of the host that it joined from, and of no other', async () => {
  await using api = await overHttp(await peopled())
  const client = as(api, TOKENS.worker)
  const file = {
    hostName: 'host-1',
    hostname: 'here',
    path: '/home/x/.claude/a.jsonl',
    kind: 'transcript' as const,
    sessionId: null,
    subagentId: null,
    offset: 0,
    before: null,
  }
  expect(await client.files.append(file, new TextEncoder().encode('{}\n'))).toEqual({ size: 3, eventsAdded: 0 })
  await expect(client.files.append({ ...file, hostName: 'host-2' }, new Uint8Array(1))).rejects.toMatchObject({
    code: 'forbidden',
  })
  await expect(client.files.append({ ...file, before: 'x' }, new Uint8Array(1))).rejects.toMatchObject({
    code: 'invalid',
  })
  expect(api.services.files).toEqual([
    {
      host: { name: 'host-1', hostname: 'here' },
      file: {
        path: file.path,
        kind: 'transcript',
        sessionId: null,
        subagentId: null,
        offset: 0,
        before: null,
        isGone: false,
        isAnew: false,
      },
      text: '{}\n',
    },
  ])
})

test('a run sees its own questions, follows tasks and not the whole feed, and looks into no other conversation', async () => {
  const store = await peopled()
  await store.write(async (tx) => {
    await putTodos(tx, await putSession(tx, SESSION), ['a to-do'])
    for (const [id, { key, taskKey }] of [['q-1', store.run] as const, ['q-2', store.other] as const])
      await tx.tasks.insertQuestion(sampleQuestion({ attemptKey: key, taskKey }, { id: questionId(id) }))
  })
  await using api = await overHttp(store)
  const run = as(api, TOKENS.attempt)
  expect((await run.questions.list()).questions.map(({ id }) => String(id))).toEqual(['q-1'])
  expect((await run.tasks.get(T)).todos.length).toBe(1)
  for (const look of [run.tasks.get, run.tasks.tree, run.tasks.log])
    await expect(look('t-22222222')).rejects.toMatchObject({ code: 'forbidden' })
  await expect(run.questions.list({ taskId: 't-22222222' })).rejects.toMatchObject({ code: 'forbidden' })
  await expect(run.feed.page({ taskId: 't-22222222' })).rejects.toMatchObject({ code: 'forbidden' })
  await expect(run.feed.page()).rejects.toMatchObject({ code: 'forbidden', hint: expect.stringContaining('taskId') })
  await addTaskEntry(store, 'task.moved', { taskId: 't-22222222', to: 'pending' })
  await addTaskEntry(store, 'task.moved', { taskId: T, to: 'pending' })
  expect((await run.feed.page({ taskId: T })).entries.map(({ seq }) => Number(seq))).toEqual([2])
  await expect(run.sessions.get(SESSION)).rejects.toMatchObject({ code: 'forbidden' })
  await expect(run.conversations.snapshot(SESSION as never)).rejects.toMatchObject({ code: 'forbidden' })
})
