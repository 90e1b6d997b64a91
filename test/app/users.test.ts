import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Client, createClient, httpTransport } from '../../src/api/client'
import { type RunningServer, startServer } from '../../src/app/server/server'
import { dispatch } from '../../src/cli/dispatch'
import { fakeIo } from '../../src/cli/kit/fake-io'
import { differences } from '../../src/cli/kit/json-shapes'
import { loadConfig } from '../../src/config/load'
import type { AuditLine } from '../../src/domain/audit'
import type { User } from '../../src/domain/user/user'
import { silentLogger } from '../../src/util/log'
import { declared } from '../api/answers/declared-answers'
import { emptyRepository } from '../lab/empty-repository'
import { copyTables } from '../lab/tables'

/** An operator's terminal, a real server, and people with browsers and terminals of their own. */
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

async function json<T>(words: string[], env: Record<string, string> = {}): Promise<T> {
  const { code, out, err } = await lode([...words, '--json'], env)
  if (code !== 0) throw new Error(`lode ${words.join(' ')} ended with ${code}: ${err}`)
  const answer = JSON.parse(out) as T
  expect(differences(answer, `lode ${words[0]} ${words[1]}`, words.join(' '))).toEqual([])
  return answer
}

const as = (token: string): Client =>
  createClient(declared(httpTransport({ token, origin: server.url })), { baseUrl: server.url })
const operator = () => as(readFileSync(join(home, 'token'), 'utf8').trim())

/** A person with a token for a terminal. */
async function person(
  name: string,
  role: string,
): Promise<{ token: string; client: Client; env: Record<string, string> }> {
  await json(['user', 'add', name, '--role', role])
  const { secret } = await json<{ secret: string }>(['token', 'create', '--user', name])
  return { token: secret, client: as(secret), env: { LODELINE_TOKEN: secret } }
}

/** A browser that opens the link which somebody was sent. */
async function openLink(link: string) {
  const [address = '', fields = ''] = link.split('#')
  const { origin } = new URL(address)
  const entered = await fetch(`${origin}/api/login`, {
    method: 'POST',
    body: JSON.stringify({ code: new URLSearchParams(fields).get('code') }),
    headers: { 'content-type': 'application/json', origin },
  })
  const set = entered.headers.get('set-cookie') ?? ''
  const cookie = set.split(';')[0] ?? ''
  const ask = (path: string, method = 'GET', body?: object, headers: Record<string, string> = { origin }) =>
    fetch(`${origin}${path}`, {
      method,
      headers: { cookie, 'content-type': 'application/json', ...(method === 'GET' ? {} : headers) },
      ...(body && { body: JSON.stringify(body) }),
    })
  return { entered, set, cookie, ask }
}

const browserOf = async (name: string) => openLink((await json<{ url: string }>(['user', 'code', name])).url)

const codeOf = async (call: Promise<unknown>): Promise<string> =>
  await call.then(
    () => 'ok',
    (error: { code?: string }) => error.code ?? String(error),
  )

test('a link logs one browser in as the person, with a cookie that no script and no page of another site can use', async () => {
  await json(['user', 'add', 'Ada', '--role', 'approver'])
  const made = await lode(['user', 'code', 'Ada'])
  expect(made.out).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/login#code=[0-9A-Z-]{14}\n$/)
  const { entered, set, ask, cookie } = await openLink(made.out.trim())
  expect([entered.status, set]).toEqual([
    200,
    expect.stringMatching(/; Path=\/api; Max-Age=2592000; HttpOnly; SameSite=Strict$/),
  ])
  expect(await (await ask('/api/me')).json()).toMatchObject({
    kind: 'approver',
    name: 'Ada',
    role: 'approver',
    hasPeople: true,
  })
  expect((await openLink(made.out.trim())).entered.status).toBe(401)
  // A write without an origin, or from another, is nobody's.
  for (const headers of [{}, { origin: 'https://evil.example' }] as Record<string, string>[])
    expect((await ask('/api/needs/dismiss', 'POST', { id: 'x' }, headers)).status).toBe(403)
  // The cookie is no token, and a token no cookie.
  const value = cookie.slice(cookie.indexOf('=') + 1)
  expect(await codeOf(as(value).login.me())).toBe('unauthorized')
  const { secret } = await json<{ secret: string }>(['token', 'create', '--user', 'Ada'])
  const swapped = await fetch(`${server.url}/api/me`, { headers: { cookie: `${cookie.split('=')[0]}=${secret}` } })
  expect(swapped.status).toBe(401)
  expect((await ask('/api/logout', 'POST', {})).status).toBe(204)
  expect((await ask('/api/me')).status).toBe(401)
  const { lines } = await json<{ lines: AuditLine[] }>(['audit', 'list'])
  const acts = lines.map(({ act, actor }) => [act, actor.kind, actor.name])
  expect(acts).toContainEqual(['login.enter', 'approver', 'Ada'])
  expect(acts).toContainEqual(['login.leave', 'approver', 'Ada'])
})

test('an approver answers, stops and consents, and starts nothing of its own', async () => {
  const { client } = await person('Ada', 'approver')
  const { task } = await operator().tasks.create({ task: 'x', dir: root })
  const waiting = await operator().tasks.create({ task: 'y', dir: root, status: 'backlog' })
  expect((await client.tasks.pause(task.id, {})).task).toMatchObject({ status: 'paused', reason: 'paused by Ada' })
  expect((await client.tasks.resume(task.id)).task.status).toBe('unassigned')
  expect((await client.tasks.deploy(waiting.task.id)).task.status).toBe('unassigned')
  expect((await client.sessions.list()).sessions).toEqual([])
  for (const call of [
    () => client.tasks.create({ task: 'z', dir: root }),
    () => client.tasks.cancel(task.id, {}),
    () => client.tasks.patch(task.id, { task: 'other' }),
    () => client.messages.send({ to: task.id, text: 'do more' }),
    () => client.issues.create({ title: 'z' }),
    () => client.users.add({ name: 'Eve', role: 'admin' }),
    () => client.login.code(),
    () => client.tokens.create({ role: 'viewer', name: 'Eve' }),
  ])
    expect(await codeOf(call())).toBe('forbidden')
})

test('a stream of a person ends when the person is removed, or gets another role, or logs out: at once', async () => {
  await json(['user', 'add', 'Ada', '--role', 'admin'])
  const { token, client } = await person('Bo', 'approver')
  const browser = await browserOf('Bo')
  const gone = await browserOf('Bo')
  const follow = async (headers: Record<string, string>) => {
    const answer = await fetch(`${server.url}/api/feed`, { headers: { accept: 'text/event-stream', ...headers } })
    expect(answer.status).toBe(200)
    const began = performance.now()
    return { ended: answer.text().then(() => performance.now() - began) }
  }
  /** Less than the time after which a stream looks by itself. */
  const SOON = 3_000
  const leaving = await follow({ cookie: gone.cookie })
  const byToken = await follow({ authorization: `Bearer ${token}` })
  const byCookie = await follow({ cookie: browser.cookie })
  await gone.ask('/api/logout', 'POST', {})
  expect(await leaving.ended).toBeLessThan(SOON)
  await lode(['user', 'edit', 'Bo', '--role', 'viewer'])
  expect(Math.max(await byToken.ended, await byCookie.ended)).toBeLessThan(2 * SOON)
  const { task } = await operator().tasks.create({ task: 'x', dir: root })
  expect([(await client.login.me()).kind, await codeOf(client.tasks.pause(task.id, {}))]).toEqual([
    'viewer',
    'forbidden',
  ])
  const again = [await follow({ authorization: `Bearer ${token}` }), await follow({ cookie: browser.cookie })]
  await lode(['user', 'remove', 'Bo'])
  for (const { ended } of again) expect(await ended).toBeLessThan(SOON)
  expect([await codeOf(client.login.me()), (await browser.ask('/api/me')).status]).toEqual(['unauthorized', 401])
})

test('what a person does carries the name, and nobody can claim it', async () => {
  const ada = await person('Ada', 'admin')
  const dir = join(root, 'app')
  emptyRepository(dir)
  const claim = { actor: 'Bo', author: 'Bo', dir }
  const { issue } = await ada.client.issues.create({ title: 'x', ...claim, author: undefined } as never)
  await ada.client.issues.comment(issue.id, { text: 'mine', author: 'Bo', dir, actor: 'Bo' })
  await operator().issues.comment(issue.id, { text: 'hers', author: 'ADA', dir, actor: 'Ada' })
  const { comments } = await ada.client.issues.comments(issue.id, { dir })
  expect(comments.map(({ author }) => author)).toEqual(['Ada', 'ADA (operator)'])
  const { history } = await ada.client.issues.history(issue.id, { dir })
  expect([...new Set(history.map(({ by }) => by))].sort()).toEqual(['Ada', 'Ada (operator)'])
  const { task } = await operator().tasks.create({ task: 'y', dir })
  const { message } = await ada.client.messages.send({
    to: task.id,
    text: 'hello',
    sessionId: crypto.randomUUID(),
  } as never)
  expect(message.from).toMatchObject({ kind: 'person', name: 'Ada' })
  await lode(['task', 'cancel', task.id], ada.env)
  const { task: cancelled } = await operator().tasks.get(task.id)
  expect(cancelled.reason).toBe('cancelled by Ada')
  await ada.client.users.add({ name: 'Cy', role: 'viewer' })
  const { users } = await json<{ users: User[] }>(['user', 'list'])
  expect(users.map(({ name, addedBy }) => [name, addedBy])).toEqual([
    ['Ada', 'operator'],
    ['Cy', 'Ada'],
  ])
  const { lines } = await json<{ lines: AuditLine[] }>(['audit', 'list', '--act', 'user.add'])
  expect(lines.map(({ actor, target }) => [actor.kind, actor.name, target])).toEqual([
    ['admin', 'Ada', 'Cy'],
    ['operator', null, 'Ada'],
  ])
})

test("'lode open' of an admin logs in as the admin, and not as the operator", async () => {
  const { env } = await person('Ada', 'admin')
  const url = (await lode(['open', '--print'], env)).out.split('\n')[0] ?? ''
  const { ask } = await openLink(url)
  expect(await (await ask('/api/me')).json()).toMatchObject({ kind: 'operator', name: 'Ada', role: 'admin' })
})

test('where nobody was added, nothing tells of people', async () => {
  const me = await operator().login.me()
  expect(Object.keys(me).sort()).toEqual(['feedSeq', 'kind', 'name', 'version'])
  const { task } = await operator().tasks.create({ task: 'x', dir: root })
  await lode(['task', 'cancel', task.id])
  expect((await operator().tasks.get(task.id)).task.reason).toBe('cancelled by operator')
  for (const words of [['token', 'list'], ['status'], ['task', 'list'], ['task', 'show', task.id], ['audit', 'list']]) {
    const { code, out, err } = await lode(words)
    expect([words, code, /person|people|approver|admin|user/i.exec(out + err)]).toEqual([words, 0, null])
  }
})
