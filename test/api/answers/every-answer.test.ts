/**
 * Asks a real server for every JSON answer that it declares. What comes back is held against the declaration on its way (see
 * `declared-answers.ts`); the last test names routes that nobody asked, so that none is left out in silence.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Caller, createCaller } from '../../../src/api/client/call'
import { httpTransport } from '../../../src/api/client/http-transport'
import { ensureToken, followToken } from '../../../src/api/client/token-file'
import { allOperations, type OperationName, operations } from '../../../src/api/contract/operations'
import { type RunningServer, startServer } from '../../../src/app/server/server'
import { loadConfig } from '../../../src/config/load'
import { type SessionId, sessionId } from '../../../src/domain/ids'
import { silentLogger } from '../../../src/util/log'
import { emptyRepository } from '../../lab/empty-repository'
import { freshConversation } from '../../mcp/served'
import { prompt } from '../../record/recording'
import { SampleSecrets } from '../../secrets/sample-secrets'
import { joinAs } from '../tasks/serve-tasks'
import { answered, declared } from './declared-answers'

/** Routes with a JSON answer that no test here asks for, each with the reason. */
const NOT_ASKED: Partial<Record<OperationName, string>> = {
  'tasks.work': 'needs a worktree: see test/browser/tasks/worktree.test.ts',
  'tasks.merge': 'needs a worktree: see test/browser/tasks/worktree.test.ts',
  'tasks.drop': 'needs a worktree: see test/browser/tasks/worktree.test.ts',
  'notify.answer': 'needs the secret of a button: see test/notify',
  'questions.alwaysAllow': 'changes the settings of the machine: see test/api/tasks/always-allow.test.ts',
}

const FIXTURES = join(import.meta.dir, '../../fixtures/claude-code/transcripts/2.1.328')

let base: string
let dir: string
let server: RunningServer
let ask: Caller['call']
let as: (token: string | null) => Caller
let transport: ReturnType<typeof declared>

beforeAll(async () => {
  base = realpathSync(mkdtempSync('/tmp/ld-'))
  dir = join(base, 'project')
  emptyRepository(dir)
  const home = join(base, 'home')
  const settings = { 'listen.port': 0, 'agents.claude-code.homes': [join(base, 'claude')] }
  const config = loadConfig({ env: { HOME: base }, cwd: base, flags: { home, settings } })
  server = await startServer({ config, log: silentLogger, isCollecting: false })
  const token = await ensureToken(home)
  const to = (token: string | null) => declared(httpTransport({ token, origin: server.url }))
  as = (token) => createCaller(to(token), { baseUrl: server.url })
  transport = to(null)
  const current = followToken(home, token)
  // One of the tests rotates it.
  ask = (...given) => as(current()).call(...given)
  await ask(operations.import, { paths: [FIXTURES] })
})
afterAll(async () => {
  await server.stop()
  rmSync(base, { recursive: true, force: true })
})

/** The one with the most in it. */
async function richest(): Promise<{ id: SessionId; cwd: string | null }> {
  const { sessions } = await ask(operations.sessions.list, { limit: 1_000 })
  const [first] = sessions.sort((a, b) => b.counts.subagents - a.counts.subagents)
  if (first === undefined) throw new Error('nothing is recorded')
  return first
}

/** A worker that joined, and a task that it has at work. */
async function atWork() {
  const input = joinAs()
  const { agent, token } = await ask(operations.agents.join, input)
  const caller = as(token)
  const { task } = await ask(operations.tasks.create, { task: 'Do it', dir, agentId: agent.id })
  const poll = { id: agent.id, bootId: input.bootId, capacity: 1, waitMs: 0, isAssignedOnly: true }
  const { assignments } = await caller.call(operations.agents.poll, { ...poll, attempts: [] })
  const [assignment] = assignments
  if (assignment === undefined) throw new Error('it was not given')
  const session = crypto.randomUUID()
  await caller.call(operations.attempts.report, { id: assignment.attemptId, conversation: freshConversation(session) })
  return { input, agent, token, caller, call: caller.call, poll, task, assignment, session }
}

const newTask = async () => (await ask(operations.tasks.create, { task: 'Wait', dir })).task

test('the server answers about itself as it declares', async () => {
  await ask(operations.health, {})
  await ask(operations.ready, {})
  await ask(operations.status, {})
  await ask(operations.doctor, {})
  await ask(operations.openapi, {})
  await ask(operations.login.me, {})
  await ask(operations.fleet, {})
  await ask(operations.lanes, {})
  const day = { since: '2026-01-01T00:00:00.000Z', until: '2026-01-02T00:00:00.000Z' }
  await ask(operations.days.show, day)
  await ask(operations.days.moment, { ...day, at: '2026-01-01T12:00:00.000Z' })
  await ask(operations.overview, {})
  await ask(operations.digest, {})
  await ask(operations.costs, { by: 'model' })
  await ask(operations.costsOverTime, { step: 'week', stack: 'model', since: '2020-01-01T00:00:00.000Z' })
  await ask(operations.rebuild, {})
  const { entries } = await ask(operations.tree.level, {})
  for (const { id } of entries) await ask(operations.tree.level, { under: id })
  await ask(operations.feed.page, { limit: 1_000 })
})

test('a browser that comes in is answered as it is declared', async () => {
  const { code } = await ask(operations.login.code, {})
  const headers = { 'content-type': 'application/json', origin: server.url, 'sec-fetch-site': 'same-origin' }
  const request = new Request(`${server.url}/api/login`, { method: 'POST', headers, body: JSON.stringify({ code }) })
  expect((await transport(request)).status).toBe(200)
})

test('what is recorded is answered as it is declared', async () => {
  await ask(operations.views.save, { list: 'sessions', name: 'Costly', search: '?sort=cost', isShared: true })
  await ask(operations.views.list, { list: 'sessions' })
  await ask(operations.views.save, { list: 'home', name: 'Of one', search: '?tab=running', project: '/a/folder' })
  await ask(operations.views.list, { list: 'home', project: '/a/folder' })
  await ask(operations.views.remove, { list: 'sessions', name: 'Costly' })
  await ask(operations.sessions.facets, {})
  const { sessions } = await ask(operations.sessions.list, { limit: 1_000, sort: 'cost' })
  for (const { id } of sessions) {
    await ask(operations.sessions.place, { id })
    await ask(operations.sessions.outcome, { id })
    await ask(operations.sessions.step, { id, to: 'error' })
    await ask(operations.sessions.changes, { id })
    await ask(operations.sessions.tree, { id })
    await ask(operations.sessions.conversation, { id, depth: 3 })
    await ask(operations.sessions.document, { id, format: 'html' })
    const besideId = sessions.find((one) => one.id !== id)?.id ?? ''
    await ask(operations.sessions.document, { id, format: 'md', besideId })
    const { share } = await ask(operations.shares.create, { sessionId: id })
    await ask(operations.shares.list, {})
    await ask(operations.shares.revoke, { id: share.id })
    await ask(operations.sessions.timeline, { id })
    await ask(operations.sessions.replay, { id })
    await ask(operations.sessions.journals, { id })
    await ask(operations.sessions.recover, { id, all: true })
    await ask(operations.sessions.rows, { id })
    await ask(operations.sessions.minimap, { id })
    await ask(operations.sessions.live, { id })
    await ask(operations.todos.changes, { id })
    const { subagents } = await ask(operations.subagents.list, { sessionId: id, kinds: ['agent', 'shell', 'monitor'] })
    for (const one of subagents) {
      await ask(operations.subagents.get, { id: one.id, sessionId: id })
      await ask(operations.subagents.output, { id: one.id, sessionId: id })
      await ask(operations.subagents.markRead, { id: one.id, sessionId: id })
      if (one.toolUseId !== null) await ask(operations.toolUses.get, { id: one.toolUseId, sessionId: id })
    }
    const { events } = await ask(operations.sessions.events, { id, limit: 1_000 })
    for (const event of events.slice(0, 5)) await ask(operations.sessions.event, { id, eventId: event.id })
    for (const event of events) await ask(operations.sessions.content, { id, eventId: event.id })
  }
  const { id, cwd } = await richest()
  const [other] = sessions.filter((one) => one.id !== id)
  await ask(operations.sessions.diff, { id, other: other?.id ?? '' })
  await ask(operations.recover, { project: cwd ?? '/', all: true })
  await ask(operations.events.list, { limit: 1_000 })
  await ask(operations.search, { q: 'the' })
  const check = { origins: [], type: 'general-purpose', prompt: 'Look', processStartedAt: null }
  await ask(operations.sessions.launchCheck, { id, ...check })
})

test('background work that is stopped is answered as it is declared', async () => {
  const { sessions } = await ask(operations.sessions.list, { limit: 1_000 })
  const lists = await Promise.all(
    sessions.map(({ id }) => ask(operations.subagents.list, { sessionId: id, kinds: ['shell'] })),
  )
  const ended = lists.flatMap(({ subagents }) => subagents).find(({ status }) => status !== 'running')
  const { isStopped } = await ask(operations.subagents.stop, { id: ended?.id ?? '', sessionId: ended?.sessionId })
  expect(isStopped).toBe(false)
})

test('tasks are answered as they are declared', async () => {
  const { id } = await newTask()
  await ask(operations.tasks.list, {})
  await ask(operations.tasks.get, { id })
  await ask(operations.tasks.costs, { id: [id] })
  await ask(operations.tasks.patch, { id, title: 'Later' })
  await ask(operations.tasks.tree, { id })
  await ask(operations.tasks.log, { id })
  await ask(operations.tasks.pause, { id })
  await ask(operations.tasks.resume, { id })
  await ask(operations.tasks.deploy, { id })
  await ask(operations.tasks.setConversation, { id, claudeSessionId: crypto.randomUUID() })
  await ask(operations.tasks.cancel, { id })
  await ask(operations.tasks.retry, { id })
  await ask(operations.tasks.claimNext, { agentId: (await ask(operations.agents.join, joinAs())).agent.id })
  const { epic } = await ask(operations.epics.create, { title: 'Much' })
  await ask(operations.epics.list, {})
  await ask(operations.epics.createTask, { id: epic.id, task: 'A part', dir })
  await ask(operations.epics.get, { id: epic.id })
  const first = { key: 'a', task: 'First', dir }
  const { plan } = await ask(operations.plans.create, {
    tasks: [first, { key: 'b', task: 'Second', dir, dependsOn: ['a'] }],
  })
  await ask(operations.plans.get, { id: plan.id })
  await ask(operations.plans.await, { ids: [id], call: 'call-1' })
})

test('workers and their runs are answered as it is declared', async () => {
  const { input, agent, call, caller, poll, task, assignment, session } = await atWork()
  await ask(operations.agents.list, { dir })
  await ask(operations.agentClis.list, {})
  await ask(operations.agents.get, { id: agent.id })
  await ask(operations.agents.describe, { id: 'specialist', instructions: 'Know it.' })
  await ask(operations.tasks.input, { id: task.id, text: 'Hurry' })
  const attempts = [{ id: assignment.attemptId, generation: assignment.generation }]
  expect((await call(operations.agents.poll, { ...poll, attempts })).commands).not.toEqual([])
  await caller.call(
    operations.attempts.stream,
    { id: assignment.attemptId, offset: 0 },
    { bytes: new TextEncoder().encode('{}\n') },
  )
  await ask(operations.tasks.workCopy, { id: task.id })
  const copy = { commit: '1'.repeat(40), head: '2'.repeat(40), base: '3'.repeat(40), remote: 'https://host/app.git' }
  await caller.call(
    operations.attempts.keepWorkCopy,
    { id: assignment.attemptId, ...copy, hostName: 'h', size: 3, leftOut: [], offset: 0 },
    { bytes: new TextEncoder().encode('abc') },
  )
  await ask(operations.tasks.workCopy, { id: task.id })
  const asked = { toolUseId: null, toolName: 'Bash', input: { command: 'true' }, description: null }
  const { question } = await call(operations.attempts.ask, {
    ...asked,
    id: assignment.attemptId,
    default: 'deny',
    deadlineMs: 60_000,
  })
  await ask(operations.questions.list, {})
  await ask(operations.overview, {})
  await ask(operations.questions.answer, { id: question.id, behavior: 'allow' })
  await ask(operations.tasks.get, { id: task.id })
  await ask(operations.fleet, {})
  await ask(operations.lanes, {})
  const run = as(assignment.token).call
  await run(operations.tasks.progress, { id: task.id, progress: 'half' })
  await run(operations.tasks.finish, { id: task.id, status: 'failed', failureReason: 'no way' })
  const need = (await ask(operations.overview, {})).needs.find(
    ({ canDismiss, taskId }) => canDismiss && taskId === task.id,
  )
  await ask(operations.needs.snooze, { id: need?.id ?? '', until: new Date(Date.now() + 60_000).toISOString() })
  await ask(operations.needs.dismiss, { id: need?.id ?? '' })
  const path = join(base, `there/projects/-p/${session}.jsonl`)
  const file = { hostName: input.hostName, hostname: input.hostname, path, kind: 'transcript' as const }
  await caller.call(
    operations.files.append,
    { ...file, sessionId: session, subagentId: null, offset: 0, before: null },
    { bytes: new TextEncoder().encode('{}\n') },
  )
  const offered = async () => {
    const { id } = await newTask()
    await ask(operations.tasks.offer, { id, agentId: agent.id })
    return id
  }
  await call(operations.tasks.accept, { id: await offered() })
  await call(operations.tasks.reject, { id: await offered() })
  const { id } = await newTask()
  await call(operations.tasks.claim, { id })
  await call(operations.tasks.release, { id })
})

test('issues are answered as they are declared', async () => {
  const make = async (title: string, more: object = {}) =>
    (await ask(operations.issues.create, { dir, title, description: 'd', ...more })).issue.id
  const parent = await make('Epic', { issueType: 'epic' })
  const one = await make('One', { parentId: parent, labels: ['x'] })
  const two = await make('Two', { dependencies: [{ dependsOnId: one }] })
  for (const name of ['list', 'ready', 'blocked', 'stats', 'cycles', 'epics', 'labels', 'statusList'] as const)
    await ask(operations.issues[name], { dir })
  await ask(operations.issues.trackers, {})
  for (const name of ['get', 'explain', 'tree', 'comments'] as const)
    for (const id of [one, two]) await ask(operations.issues[name], { id, dir })
  for (const id of [one, two]) await ask(operations.links.ofIssue, { id, dir })
  await ask(operations.issues.comment, { id: one, dir, text: 'Seen' })
  await ask(operations.issues.get, { id: one, dir })
  await ask(operations.issues.update, { id: one, dir, title: 'First' })
  await ask(operations.issues.claim, { id: one, dir })
  await ask(operations.issues.get, { id: one, dir })
  await ask(operations.issues.release, { id: one, dir })
  await ask(operations.issues.history, { id: one, dir })
  await ask(operations.issues.removeDependency, { id: two, dependsOnId: one, dir })
  await ask(operations.issues.addDependency, { id: two, dependsOnId: one, dir })
  await ask(operations.issues.dispatch, { id: one, dir, withDependents: true, dryRun: true })
  await ask(operations.issues.dispatch, { id: one, dir })
  await ask(operations.issues.close, { id: one, dir, force: true })
  await ask(operations.issues.reopen, { id: one, dir })
  await ask(operations.issues.claimNext, { dir })
  await ask(operations.issues.statuses, { dir, put: { name: 'parked', category: null } })
  await ask(operations.issues.sync, { dir })
  await ask(operations.issues.import, { dir, text: '', dryRun: true })
  await ask(operations.issues.delete, { id: two, dir })
})

test('to-dos, and the issues that sessions work on, are answered as they are declared', async () => {
  const { id } = await richest()
  const { issue } = await ask(operations.issues.create, { dir, title: 'The work' })
  const link = { id, issue: issue.id, dir }
  await ask(operations.links.link, link)
  await ask(operations.links.saw, link)
  await ask(operations.links.ofSession, { id, dir })
  await ask(operations.links.ofIssue, { id: issue.id, dir })
  const session = crypto.randomUUID()
  const todos = [{ content: 'Write', status: 'pending', activeForm: 'Writing' }]
  const payload = { session_id: session, tool_name: 'TodoWrite', tool_input: { todos } }
  const bytes = Buffer.from(JSON.stringify(payload))
  const headers = { 'content-type': 'application/json' }
  await ask(operations.todos.sync, { id: session }, { bytes, headers })
  await ask(operations.todos.ofSession, { id: session })
  await ask(operations.todos.lists, {})
  const [todo] = (await ask(operations.todos.list, { sessionId: session })).todos
  await ask(operations.todos.history, { id: todo?.id ?? '' })
  await ask(operations.todos.finalize, { id: session })
  await ask(operations.todos.take, { id, todoIds: [todo?.id ?? ''] })
  await ask(operations.todos.promote, { id: todo?.id ?? '', dir })
  await ask(operations.links.unlink, link)
  await ask(operations.links.unlinkAll, { id, dir })
})

test('messages, registrations and hand-overs are answered as they are declared', async () => {
  const { registration } = await ask(operations.sessions.register, { client: 'terminal' })
  const { address } = registration
  await ask(operations.sessions.put, { id: address, title: 'Mine' })
  const send = async () => (await ask(operations.messages.send, { to: address, text: 'Hello' })).message
  const { id } = await send()
  await ask(operations.messages.list, {})
  await ask(operations.messages.get, { id })
  await ask(operations.messages.at, { id: address })
  await ask(operations.sessions.messages, { id: address })
  await ask(operations.sessions.attach, { id: address, client: 'terminal', host: 'here' })
  await ask(operations.messages.take, { id: address, call: 'call-1' })
  await ask(operations.messages.offer, { id: address, route: 'hook', cli: '1@1', room: 4_000 })
  await ask(operations.messages.acknowledge, { id: address, ids: [id] })
  await ask(operations.sessions.acknowledge, { id: address, ids: [(await send()).id] })
  await ask(operations.messages.withdraw, { id: (await send()).id })
  await ask(operations.sessions.detach, { id: address, client: 'terminal', host: 'here' })
  await ask(operations.handoffs.create, { folder: dir, note: 'Go on', goal: 'It works' })
  await ask(operations.handoffs.list, { folder: dir })
  const session = await richest()
  await ask(operations.sessions.resume, { id: session.id, dir })
  await ask(operations.sessions.resume, { id: session.id, dir, asTask: true, text: 'Go on' })
  await ask(operations.tasks.create, { task: 'For it', dir, sessionId: sessionId(address) })
  await ask(operations.sessions.tasks, { id: address })
  await ask(operations.sessions.activeTask, { id: address })
})

test('what comes from outside is answered as it is declared', async () => {
  const { secret } = await ask(operations.inbox.putSource, { name: 'mail' })
  await ask(operations.inbox.sources, {})
  const signed = async (path: string, body: object): Promise<unknown> => {
    const at = String(Math.floor(Date.now() / 1_000))
    const text = JSON.stringify(body)
    const response = await transport(
      new Request(server.url + path, {
        method: 'POST',
        body: text,
        headers: {
          'content-type': 'application/json',
          'lodeline-source': 'mail',
          'lodeline-timestamp': at,
          'lodeline-signature': `v1=${createHmac('sha256', secret ?? '')
            .update(`${at}.mail.${path}.${text}`)
            .digest('hex')}`,
        },
      }),
    )
    expect(response.status).toBe(200)
    return await response.json()
  }
  const { id } = (await signed('/api/inbox', { sender: 'Ann', text: 'help', threadKey: 't' })) as { id: string }
  await ask(operations.inbox.list, {})
  await ask(operations.inbox.delegate, { id, task: 'Help Ann', dir })
  await ask(operations.inbox.get, { id })
  await ask(operations.inbox.reply, { id, text: 'Soon' })
  await signed('/api/inbox/replies', { limit: 10 })
  await ask(operations.inbox.close, { id })
})

test('channels and budgets are answered as they are declared', async () => {
  await ask(operations.budgets.put, { name: 'b', unit: 'usd', most: 5 })
  await ask(operations.budgets.allow, { name: 'b' })
  await ask(operations.budgets.list, {})
  await ask(operations.budgets.remove, { name: 'b' })
  await ask(operations.notify.pushKey, {})
  await ask(operations.notify.put, { name: 'w', kind: 'webhook', target: 'https://hooks.example/' })
  await ask(operations.notify.put, { name: 'say', kind: 'command', target: ['true'] })
  await ask(operations.notify.test, { name: 'say' })
  await ask(operations.notify.list, {})
  await ask(operations.notify.log, {})
})

test('an agent that speaks the Model Context Protocol is answered as it is declared', async () => {
  const { token } = await atWork()
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  for (const [id, method] of ['tools/list', 'tools/gone'].entries()) {
    const request = new Request(`${server.url}/mcp`, {
      method: 'POST',
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params: { _meta: meta } }),
      headers: {
        authorization: `Bearer ${token}`,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        'mcp-method': method,
        'mcp-protocol-version': '2026-07-28',
      },
    })
    expect(await (await transport(request)).json()).toMatchObject({ jsonrpc: '2.0', id })
  }
})

test('tokens and enrollments are answered as they are declared', async () => {
  const { token } = await ask(operations.tokens.create, { role: 'viewer', name: 'Ada' })
  await ask(operations.tokens.revoke, { id: token.id })
  await ask(operations.tokens.list, {})
  const { code } = await ask(operations.workers.enroll, { name: 'enrolled' })
  await as(null).call(operations.workers.enter, { code, hostname: 'box', hostName: 'machine', hostKey: 'key' })
  await ask(operations.machines.drain, { name: 'enrolled' })
  await ask(operations.machines.resume, { name: 'enrolled' })
  await ask(operations.machines.remove, { name: 'enrolled' })
  await ask(operations.workers.list, {})
  expect(await ask(operations.tokens.rotate, {})).toEqual({ file: join(base, 'home', 'token') })
})

test('people are answered as they are declared', async () => {
  await ask(operations.users.add, { name: 'Ada', role: 'viewer', login: 'ada@example.org' })
  await ask(operations.users.list, {})
  await ask(operations.login.ways, {})
  await ask(operations.users.code, { name: 'Ada' })
  await ask(operations.tokens.create, { user: 'Ada' })
  await ask(operations.tokens.list, {})
  await ask(operations.users.remove, { name: 'Ada' })
})

test('a secret that is found, listed and erased is answered as it is declared', async () => {
  const session = crypto.randomUUID()
  const path = join(base, 'with-secret', `${session}.jsonl`)
  mkdirSync(join(base, 'with-secret'))
  writeFileSync(path, prompt(session, `use ${new SampleSecrets().of('npm-token')}`))
  await ask(operations.import, { paths: [path] })
  expect((await ask(operations.secrets.scan, {})).found).toBe(0)
  const { secrets } = await ask(operations.secrets.list, {})
  expect(secrets).toMatchObject([{ rule: 'npm-token', count: 1, sessionId: session, erasedAt: null }])
  const erased = await ask(operations.secrets.erase, { id: secrets[0]?.id ?? '' })
  expect(erased).toMatchObject({ places: 1, agentFiles: [path] })
})

test('what goes by age is answered as it is declared', async () => {
  expect(await ask(operations.retention, {})).toMatchObject({ chosen: null, days: null, count: 0 })
  const { count, sessions, held } = await ask(operations.retention, { days: 1 })
  expect(count).toBeGreaterThanOrEqual(sessions.length)
  expect(Object.keys(held)).toEqual(['process', 'task', 'issue'])
})

test('a session that is forgotten is answered as it is declared, and the audit log that has it', async () => {
  const { id } = await richest()
  await ask(operations.sessions.forget, { id })
  const { lines } = await ask(operations.audit.list, { limit: 1 })
  expect(lines).toMatchObject([{ act: 'session.forget', target: id, actor: { kind: 'operator', peer: '127.0.0.1' } }])
  expect((await ask(operations.audit.verify, {})).isWhole).toBe(true)
})

test('no route with a JSON answer is left out here but those that are named with a reason', () => {
  const left = allOperations.filter((one) => typeof one.answer === 'object' && !answered.has(one))
  expect(left.map(({ name }) => name).sort()).toEqual(Object.keys(NOT_ASKED).sort())
})
