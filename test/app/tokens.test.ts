import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Client, createClient, httpTransport } from '../../src/api/client'
import { type RunningServer, startServer } from '../../src/app/server/server'
import { dispatch } from '../../src/cli/dispatch'
import { fakeIo } from '../../src/cli/kit/fake-io'
import { differences } from '../../src/cli/kit/json-shapes'
import { loadConfig } from '../../src/config/load'
import type { Token } from '../../src/domain/token/token'
import { silentLogger } from '../../src/util/log'
import { declared } from '../api/answers/declared-answers'
import { copyTables } from '../lab/tables'
import { until } from '../lab/until'

/** A person's terminal, a real server, and programs with tokens that the person gave them. */
let root: string
let home: string
let server: RunningServer
beforeEach(async () => {
  root = realpathSync(mkdtempSync('/tmp/ld-'))
  home = join(root, 'lode')
  copyTables(home)
  const config = loadConfig({
    env: { HOME: root, LODELINE_HOME: home },
    cwd: root,
    flags: { settings: { 'listen.port': 0, 'agents.claude-code.homes': [join(root, '.claude')] } },
  })
  server = await startServer({ config, log: silentLogger, isCollecting: false })
})
afterEach(async () => {
  await server.stop()
  rmSync(root, { recursive: true, force: true })
})

async function lode(words: string[], env: Record<string, string> = {}) {
  const io = fakeIo({ env: { HOME: root, LODELINE_HOME: home, PATH: root, ...env }, cwd: root })
  const code = await dispatch(words, io, new AbortController().signal)
  return { code, out: io.stdout, err: io.stderr }
}

async function json<T>(...words: string[]): Promise<T> {
  const { code, out, err } = await lode([...words, '--json'])
  if (code !== 0) throw new Error(`lode ${words.join(' ')} ended with ${code}: ${err}`)
  const answer = JSON.parse(out) as T
  expect(differences(answer, `lode ${words[0]} ${words[1]}`, words.join(' '))).toEqual([])
  return answer
}

const as = (token: string): Client =>
  createClient(declared(httpTransport({ token, origin: server.url })), { baseUrl: server.url })

const create = (role: string, ...more: string[]) =>
  json<{ token: Token; secret: string }>('token', 'create', '--role', role, '--name', 'Ada', ...more)

const mayNot = async (call: Promise<unknown>): Promise<string> =>
  await call.then(
    () => 'it may',
    (error: { code?: string }) => error.code ?? String(error),
  )

test('a viewer reads what the operator reads, and changes nothing', async () => {
  const { secret, token } = await create('viewer')
  expect([secret.slice(0, 4), token.role, token.state]).toEqual(['lvw_', 'viewer', 'active'])
  const viewer = as(secret)
  const { task } = await as(readFileSync(join(home, 'token'), 'utf8').trim()).tasks.create({ task: 'x', dir: root })
  expect(await viewer.login.me()).toMatchObject({ kind: 'viewer', name: 'Ada' })
  expect((await viewer.tasks.get(task.id)).task.id).toBe(task.id)
  for (const read of [
    viewer.sessions.list(),
    viewer.inbox.list(),
    viewer.overview(),
    viewer.issues.list(),
    viewer.doctor(),
  ])
    expect(await mayNot(read)).toBe('it may')
  for (const write of [
    viewer.tasks.create({ task: 'y', dir: root }),
    viewer.tasks.cancel(task.id),
    viewer.issues.create({ title: 'z' }),
    viewer.login.code(),
    viewer.tokens.create({ role: 'operator', name: 'Eve' }),
    viewer.tokens.rotate(),
    viewer.workers.enroll({ name: 'w' }),
  ])
    expect(await mayNot(write)).toBe('forbidden')
  expect((await lode(['task', 'list'], { LODELINE_TOKEN: secret })).code).toBe(0)
})

test("an operator's token acts, and gives nobody access that would outlast it", async () => {
  const { secret } = await create('operator')
  const program = as(secret)
  expect((await program.tasks.create({ task: 'y', dir: root })).task.status).toBe('unassigned')
  const worker = {
    kind: 'worker' as const,
    capabilities: [],
    concurrency: 1,
    hostname: 'h',
    hostName: 'h',
    version: '1',
  }
  for (const access of [
    program.login.code(),
    program.tokens.create({ role: 'viewer', name: 'Eve' }),
    program.tokens.rotate(),
    program.workers.enroll({ name: 'w' }),
    program.inbox.putSource('s', {}),
    program.agents.join({ name: 'w', bootId: 'b', isFormerGone: false, ...worker }),
  ])
    expect(await mayNot(access)).toBe('forbidden')
})

test('a token that was revoked, or is too old, is refused with its reason, also by a stream that it opened', async () => {
  const { secret, token } = await create('viewer')
  const follower = await fetch(`${server.url}/api/feed`, {
    headers: { authorization: `Bearer ${secret}`, accept: 'text/event-stream' },
  })
  expect(follower.status).toBe(200)
  expect((await lode(['token', 'revoke', token.id])).code).toBe(0)
  const error = await as(secret)
    .sessions.list()
    .catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({
    code: 'unauthorized',
    message: expect.stringMatching(/^The token of Ada was revoked on /),
  })
  // The stream ends by itself: reading it to its end is the proof.
  await follower.text()
  const { tokens } = await json<{ tokens: Token[] }>('token', 'list')
  expect(tokens.map(({ id, state }) => [id, state])).toEqual([[token.id, 'revoked']])
  expect((await lode(['token', 'revoke', 'k-none0000'])).code).toBe(3)
})

test("a run's stream ends with its attempt", async () => {
  const operator = as(readFileSync(join(home, 'token'), 'utf8').trim())
  const machine = { capabilities: [], concurrency: 1, hostname: 'h', hostName: 'h', version: '1' }
  const joining = { name: 'w', kind: 'worker' as const, bootId: 'b', isFormerGone: true }
  const { agent, token } = await operator.agents.join({ ...joining, ...machine })
  await operator.tasks.create({ task: 'x', dir: root })
  const worker = as(token)
  const { assignments } = await worker.agents.poll(agent.id, { bootId: 'b', capacity: 1, attempts: [], waitMs: 0 })
  const [given] = assignments
  if (given === undefined) throw new Error('nothing was assigned')
  const stream = await fetch(`${server.url}/api/feed?taskId=${given.task.id}`, {
    headers: { authorization: `Bearer ${given.token}`, accept: 'text/event-stream' },
  })
  expect(stream.status).toBe(200)
  const end = {
    outcome: 'failed',
    failureClass: 'agent',
    reason: 'it failed',
    resetAt: null,
    output: null,
  } as const
  const figures = { exitCode: 1, signal: null, numTurns: null, costUsd: null, usage: null }
  await worker.attempts.report(given.attemptId, { ended: { ...end, ...figures } })
  // The stream ends by itself: reading it to its end is the proof.
  await stream.text()
})

test('a token shows when it was used last, and no list shows a token', async () => {
  const { secret, token } = await create('viewer', '--expires', '30d')
  expect(Date.parse(token.expiresAt ?? '') - Date.parse(token.createdAt)).toBe(30 * 86_400_000)
  expect(token.lastUsedAt).toBe(null)
  await as(secret).sessions.list()
  const listed = async () => (await json<{ tokens: Token[] }>('token', 'list')).tokens[0]
  await until('the use is noted', async () => (await listed())?.lastUsedAt != null)
  const { out } = await lode(['token', 'list'])
  expect([out.includes('Ada'), out.includes(secret), out.includes(secret.slice(4, 12))]).toEqual([true, false, false])
  expect((await lode(['token', 'create', '--name', 'x', '--expires', '1s'])).code).toBe(2)
})

test('another token of the server ends the old one and all browsers at once; commands and their programs go on', async () => {
  const before = readFileSync(join(home, 'token'), 'utf8').trim()
  const { secret } = await create('viewer')
  const { code } = await as(before).login.code()
  const headers = { 'content-type': 'application/json', origin: server.url }
  const entered = await fetch(`${server.url}/api/login`, { method: 'POST', body: JSON.stringify({ code }), headers })
  const cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? ''
  const follower = await fetch(`${server.url}/api/feed`, { headers: { cookie, accept: 'text/event-stream' } })
  expect([entered.status, follower.status]).toEqual([200, 200])
  expect(await json<{ file: string }>('token', 'rotate')).toEqual({ file: join(home, 'token') })
  const after = readFileSync(join(home, 'token'), 'utf8').trim()
  expect([after === before, after.length, statSync(join(home, 'token')).mode & 0o777]).toEqual([false, 64, 0o600])
  // The old one is not even sent: the server can't prove that it has it.
  expect(await mayNot(as(before).sessions.list())).toBe('unavailable')
  const old = await fetch(`${server.url}/api/sessions`, { headers: { authorization: `Bearer ${before}` } })
  expect([old.status, (await fetch(`${server.url}/api/me`, { headers: { cookie } })).status]).toEqual([401, 401])
  await follower.text()
  expect([(await lode(['session', 'list'])).code, await mayNot(as(secret).sessions.list())]).toEqual([0, 'it may'])
})

test('a code of an enrollment is printed alone, and the worker is listed as waiting until it is revoked', async () => {
  const { code, out, err } = await lode(['worker', 'enroll', 'builder'])
  expect([code, out]).toEqual([0, expect.stringMatching(/^[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}\n$/)])
  expect(err).toContain('lode work --server URL --code')
  const listed = async () =>
    (await json<{ workers: { name: string; state: string }[] }>('worker', 'list')).workers.map((w) => [w.name, w.state])
  expect(await listed()).toEqual([['builder', 'waiting']])
  expect((await json<{ code: string }>('worker', 'enroll', 'builder')).code).not.toBe(out.trim())
  await json('worker', 'revoke', 'builder')
  expect(await listed()).toEqual([['builder', 'revoked']])
  const machine = { hostname: 'box', hostName: 'm', hostKey: 'k' }
  const entered = await fetch(`${server.url}/api/workers/enter`, {
    method: 'POST',
    body: JSON.stringify({ code: out.trim(), ...machine }),
    headers: { 'content-type': 'application/json' },
  })
  expect(entered.status).toBe(401)
})

test('the token of an enrolled machine is only for joining', async () => {
  const { code } = await json<{ code: string }>('worker', 'enroll', 'builder')
  const machine = { hostname: 'box', hostName: 'm', hostKey: 'k' }
  const nobody = createClient(declared(httpTransport({ token: null, origin: server.url })), { baseUrl: server.url })
  const { token, name } = await nobody.workers.enter({ code, ...machine })
  expect([name, existsSync(join(home, 'worker-tokens'))]).toEqual(['builder', false])
  const kept = as(token)
  for (const call of [kept.tasks.list(), kept.tasks.create({ task: 'x', dir: root }), kept.login.me()])
    expect(await mayNot(call)).toBe('forbidden')
  const joining = { name, kind: 'worker' as const, capabilities: [], concurrency: 1, version: '1', bootId: 'b' }
  const joined = await kept.agents.join({ ...joining, isFormerGone: false, ...machine })
  const worker = as(joined.token)
  const poll = () => worker.agents.poll(joined.agent.id, { bootId: 'b', capacity: 1, attempts: [], waitMs: 0 })
  expect((await poll()).assignments).toEqual([])
  await json('worker', 'revoke', 'builder')
  expect(await mayNot(poll())).toBe('unauthorized')
  expect(
    await kept.agents.join({ ...joining, isFormerGone: false, ...machine }).catch((thrown) => thrown),
  ).toMatchObject({
    code: 'unauthorized',
    message: expect.stringMatching(/^The access of the worker builder was revoked on /),
    hint: expect.stringContaining('lode worker enroll builder'),
  })
})
