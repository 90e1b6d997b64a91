import { afterAll, beforeAll, expect, test } from 'bun:test'
import { rmSync, writeFileSync } from 'node:fs'
import { request as send } from 'node:http'
import { join } from 'node:path'
import { until } from '../lab/until'
import { CLIENT, type Provider, startProvider } from '../login/provider'
import { VISITOR } from './balancer'
import { type FrontFleet, openFrontFleet, PUBLIC } from './fleet'

let fleet: FrontFleet
let provider: Provider
const secretFile = join('/tmp', `ld-oidc-${crypto.randomUUID()}`)
beforeAll(async () => {
  provider = await startProvider()
  writeFileSync(secretFile, `${CLIENT.secret}\n`, { mode: 0o600 })
  fleet = await openFrontFleet({
    'login.oidc.issuer': provider.issuer,
    'login.oidc.clientId': CLIENT.id,
    'login.oidc.secretFile': secretFile,
  })
})
afterAll(async () => {
  await fleet?.[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
  rmSync(secretFile, { force: true })
})

/** As the dashboard's page at the public address sends. */
const PAGE = { origin: PUBLIC, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' }
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

/** A browser that logs in with a code made at one server, through the balancer. */
async function logIn(): Promise<string> {
  const { code } = await fleet.a.client.login.code()
  const entered = await fleet.ask('/api/login', { method: 'POST', headers: PAGE, body: JSON.stringify({ code }) })
  expect(entered.status).toBe(200)
  return entered.headers.get('set-cookie') ?? ''
}

const eachServer = async (ask: () => Promise<Response>): Promise<number[]> => {
  const statuses: number[] = []
  for (let n = 0; n < 4; n++) statuses.push((await ask()).status)
  expect(new Set(fleet.front.served.slice(-4))).toEqual(new Set(['a', 'b']))
  return statuses
}

test("the operator's token of each server opens all of them", async () => {
  expect(fleet.a.token).not.toBe(fleet.b.token)
  for (const { token } of [fleet.a, fleet.b])
    expect(await eachServer(() => fleet.ask('/api/status', { headers: bearer(token) }))).toEqual([200, 200, 200, 200])
  for (const wrong of ['5'.repeat(64), fleet.a.token.slice(1)])
    expect(await eachServer(() => fleet.ask('/api/status', { headers: bearer(wrong) }))).toEqual([401, 401, 401, 401])
})

test('a command works through the balancer, and what it writes is there at both servers', async () => {
  const { secret } = await fleet.a.client.tokens.create({ name: 'desk', role: 'operator' })
  const args = ['--server', fleet.front.url, '--json']
  const env = { LODELINE_TOKEN: secret }
  const made = await fleet.b.spawn(['task', 'create', 'through the front', '--dir', fleet.root, ...args], env).exited
  expect([made.exitCode, made.stderr]).toEqual([0, ''])
  const listed = await fleet.b.spawn(['task', 'list', ...args], env).exited
  expect(listed.stdout).toContain('through the front')
  for (const { client } of [fleet.a, fleet.b])
    expect((await client.tasks.list({})).tasks.map(({ task }) => task)).toContain('through the front')
})

test('a code of one server logs a browser in at the public address, for both, over HTTPS alone, until it logs out', async () => {
  const set = await logIn()
  expect(set).toMatch(/^__Host-lodeline_443=lub_[\w-]{43}; Path=\/; .*; Secure$/)
  const cookie = set.split(';')[0] ?? ''
  const page = { ...PAGE, cookie }
  expect(await eachServer(() => fleet.ask('/api/me', { headers: page }))).toEqual([200, 200, 200, 200])
  const write = (headers: Record<string, string>) =>
    fleet.ask('/api/needs/dismiss', { method: 'POST', headers, body: '{}' })
  // The body is wrong, and is looked at: the sender was let in.
  expect(await eachServer(() => write(page))).toEqual([400, 400, 400, 400])
  for (const origin of [fleet.front.url, 'http://lode.example', 'https://lode.example:8443', 'null'])
    expect([origin, (await write({ ...page, origin })).status]).toEqual([origin, 403])
  const { lines } = await fleet.b.client.audit.list({ act: 'login.enter' })
  expect(lines[0]?.actor.peer).toBe(VISITOR)
  expect((await fleet.ask('/api/logout', { method: 'POST', headers: page, body: '{}' })).status).toBe(204)
  expect(await eachServer(() => fleet.ask('/api/me', { headers: page }))).toEqual([401, 401, 401, 401])
})

test('a code works once at all servers together', async () => {
  const { code } = await fleet.a.client.login.code()
  const enter = () => fleet.ask('/api/login', { method: 'POST', headers: PAGE, body: JSON.stringify({ code }) })
  const statuses = (await Promise.all([enter(), enter(), enter(), enter()])).map(({ status }) => status)
  expect(statuses.toSorted()).toEqual([200, 401, 401, 401])
})

test('a person logs in by the provider though another server takes the answer', async () => {
  Object.assign(provider.who, { claims: { sub: 'ada-1', email: 'ada@example.org', email_verified: true } })
  await fleet.a.client.users.add({ name: 'Ada', role: 'viewer', login: 'ada@example.org' })
  const began = await fleet.ask('/api/login/provider?to=%2Ftasks')
  const kept = began.headers.get('set-cookie')?.split(';')[0] ?? ''
  const sent = await fetch(began.headers.get('location') ?? '', { redirect: 'manual' })
  const back = new URL(sent.headers.get('location') ?? '')
  expect(back.origin).toBe(PUBLIC)
  const from = fleet.front.served.at(-1)
  const linked = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
  const came = await fleet.ask(back.pathname + back.search, { headers: { ...linked, cookie: kept } })
  expect(fleet.front.served.at(-1)).not.toBe(from)
  expect([came.status, came.headers.get('location')]).toEqual([303, '/tasks'])
  const [login = ''] = came.headers.getSetCookie()
  expect(login).toEndWith('; Secure')
  const me = await fleet.ask('/api/me', { headers: { ...PAGE, cookie: login.split(';')[0] ?? '' } })
  expect(await me.json()).toMatchObject({ name: 'Ada', role: 'viewer' })
  // The same answer counts nowhere again.
  const again = await fleet.ask(back.pathname + back.search, { headers: { ...linked, cookie: kept } })
  expect(again.headers.get('location')).toStartWith('/login#refused=')
})

test('a stream that is cut goes on at the other server without a gap', async () => {
  const { client } = fleet.a
  const seen: number[] = []
  let last = String((await client.login.me()).feedSeq)
  const servers: (string | undefined)[] = []
  for (let round = 0; round < 4; round++) {
    await client.tasks.create({ task: `round ${round}`, dir: fleet.root })
    const gone = new AbortController()
    const headers = { ...bearer(fleet.b.token), 'last-event-id': last }
    const answer = await fleet.ask('/api/feed', { headers, signal: gone.signal })
    servers.push(fleet.front.served.at(-1))
    let text = ''
    for await (const chunk of answer.body ?? []) {
      text += new TextDecoder().decode(chunk)
      if (text.includes('"task.created"')) break
    }
    gone.abort()
    const numbers = [...text.matchAll(/"seq":(\d+)/g)].map(([, seq]) => Number(seq))
    seen.push(...numbers)
    last = String(numbers.at(-1))
  }
  expect(new Set(servers)).toEqual(new Set(['a', 'b']))
  const first = seen[0] ?? 0
  expect(seen).toEqual(seen.map((_, at) => first + at))
})

test('what an untrusted address says of where it comes from counts for nothing', async () => {
  const direct = (from: string, headers: Record<string, string>, path = '/api/health', method = 'GET') =>
    new Promise<number>((resolve, reject) => {
      const asked = send(fleet.a.url + path, { method, headers, localAddress: from }, (answer) => {
        answer.resume()
        resolve(answer.statusCode ?? 0)
      })
      asked.on('error', reject)
      asked.end(method === 'GET' ? undefined : JSON.stringify({ code: 'wrong' }))
    })
  const own = new URL(fleet.a.url).host
  const forged = { 'x-forwarded-host': 'lode.example', 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.7' }
  expect(await direct('127.0.0.1', { host: 'evil.example', ...forged })).toBe(200)
  expect(await direct('127.0.0.2', { host: 'evil.example', ...forged })).toBe(403)
  expect(await direct('127.0.0.2', { host: own, ...forged, 'x-forwarded-host': 'evil.example' })).toBe(200)
  expect(await direct('127.0.0.2', { host: 'lode.example' })).toBe(200)
  for (const host of ['lode.internal', `lode.internal:${new URL(fleet.a.url).port}`])
    expect([host, await direct('127.0.0.2', { host })]).toEqual([host, 200])
  // A person who guesses is held up by the address that the balancer saw, whatever stands before it.
  const guess = (from: string, by: string) =>
    direct(
      from,
      { ...forged, host: own, 'content-type': 'application/json', 'x-forwarded-for': by },
      '/api/login',
      'POST',
    )
  for (let n = 0; n < 10; n++) expect(await guess('127.0.0.1', `10.0.0.${n}, 203.0.113.7`)).toBe(401)
  expect(await guess('127.0.0.1', '10.0.0.99, 203.0.113.7')).toBe(503)
  expect(await guess('127.0.0.1', '203.0.113.8')).toBe(401)
  // Another user of this machine can't have somebody held up.
  for (let n = 0; n < 12; n++) expect(await guess('127.0.0.2', '203.0.113.9')).toBe(401)
  expect(await guess('127.0.0.1', '203.0.113.9')).toBe(401)
})

test('a new token at one server ends those of all, and every login, and each server makes itself another', async () => {
  const before = [fleet.a.token, fleet.b.token]
  const cookie = (await logIn()).split(';')[0] ?? ''
  await fleet.b.client.tokens.rotate()
  for (const token of before)
    expect(await eachServer(() => fleet.ask('/api/status', { headers: bearer(token) }))).toEqual([401, 401, 401, 401])
  expect((await fleet.ask('/api/me', { headers: { ...PAGE, cookie } })).status).toBe(401)
  const isTaken = async (token: string) => (await fleet.ask('/api/status', { headers: bearer(token) })).status === 200
  for (const server of [fleet.a, fleet.b]) await until('its new token', () => isTaken(server.token))
  for (const { token } of [fleet.a, fleet.b])
    expect(await eachServer(() => fleet.ask('/api/status', { headers: bearer(token) }))).toEqual([200, 200, 200, 200])
})
