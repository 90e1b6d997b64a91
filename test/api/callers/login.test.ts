import { expect, test } from 'bun:test'
import { OWN_CODE_MS } from '../../../src/domain/user/user'
import { createAuditService } from '../../../src/engine/audit/audit-service'
import { createUserService } from '../../../src/engine/users/user-service'
import { OPERATOR } from '../../tasks/crew'
import { addAgent, addFeed } from '../seed'
import { inProcess, overHttp, TOKEN } from '../start-api'
import { rawHttp, statusOfAnswer } from './raw-http'

const JSON_TYPE = { 'content-type': 'application/json' }

/** A server that browsers come to, with a clock of the codes' own. */
async function withLogin(publicUrl: string | null = null) {
  const clock = { now: Date.now() }
  const api = await overHttp(undefined, {}, { login: {}, publicUrl: () => publicUrl })
  const { store } = api
  const users = createUserService({ store, now: () => clock.now })
  Object.assign(api.services, { users, audit: createAuditService({ store }) })
  const makeCode = () => users.makeCode(OPERATOR)
  /** As our own page sends. */
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    fetch(api.origin + path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { ...JSON_TYPE, origin: api.origin, 'sec-fetch-site': 'same-origin', ...headers },
    })
  const enter = async (): Promise<string> => {
    const response = await post('/api/login', { code: (await makeCode()).code })
    return response.headers.get('set-cookie')?.split(';')[0] ?? ''
  }
  return Object.assign(api, { clock, users, makeCode, post, enter })
}

const errorOf = async (response: Response) => {
  const { error } = (await response.json()) as { error: { code: string } }
  return [response.status, error.code]
}

test("the operator's token makes a code, which a browser exchanges for a cookie that acts as the operator", async () => {
  await using api = await withLogin()
  const made = await api.client.login.code()
  expect(made.code).toMatch(/^\w{4}-\w{4}-\w{4}$/)
  expect([made.path, made.url]).toEqual(['/login', null])
  expect(Date.parse(made.expiresAt) - api.clock.now).toBe(OWN_CODE_MS)
  const entered = await api.post('/api/login', { code: made.code })
  const { until } = (await entered.json()) as { until: string }
  expect(Math.abs(Date.parse(until) - Date.now() - 30 * 86_400_000)).toBeLessThan(60_000)
  const set = entered.headers.get('set-cookie') ?? ''
  expect(set).toMatch(
    new RegExp(`^lodeline_${api.port}=lub_[\\w-]{43}; Path=/api; Max-Age=2592000; HttpOnly; SameSite=Strict$`),
  )
  const cookie = set.split(';')[0] ?? ''
  const me = await fetch(`${api.origin}/api/me`, { headers: { cookie } })
  expect(await me.json()).toEqual({ kind: 'operator', name: null, version: '1.2.3', feedSeq: 0 })
  expect((await api.post('/api/rebuild', {}, { cookie })).status).toBe(200)
})

test('a code says where browsers of other machines find the server', async () => {
  await using api = await withLogin('https://desk:4655')
  expect((await api.client.login.code()).url).toBe('https://desk:4655')
})

test('who is asked for by a token is told, with where the feed stands', async () => {
  await using api = await withLogin()
  await addFeed(api.store, 3)
  await addAgent(api.store, 'a-worker', 'lwk_worker')
  const me = await fetch(`${api.origin}/api/me`, { headers: { authorization: 'Bearer lwk_worker' } })
  expect(await me.json()).toMatchObject({ kind: 'worker', feedSeq: 3 })
})

test('logging out takes the cookie back', async () => {
  await using api = await withLogin()
  const response = await api.post('/api/logout', {}, { cookie: await api.enter() })
  expect([response.status, response.headers.get('set-cookie')]).toEqual([
    204,
    `lodeline_${api.port}=; Path=/api; Max-Age=0; HttpOnly; SameSite=Strict`,
  ])
})

test('who logs out is out: a copy of the cookie opens nothing, and what it follows ends; others stay in', async () => {
  await using api = await withLogin()
  const [cookie, other] = [await api.enter(), await api.enter()]
  const follow = (of: string) => fetch(`${api.origin}/api/feed`, { headers: { cookie: of } })
  const [followed, stays] = await Promise.all([follow(cookie), follow(other)])
  const reading = followed.text()
  await api.post('/api/logout', {}, { cookie })
  expect(await reading).toContain('retry:')
  const me = (of: string) => fetch(`${api.origin}/api/me`, { headers: { cookie: of } })
  expect([(await me(cookie)).status, (await follow(cookie)).status]).toEqual([401, 401])
  expect((await me(other)).status).toBe(200)
  await addFeed(api.store, 1)
  const reader = (stays.body ?? new ReadableStream<Uint8Array>()).getReader()
  let text = ''
  while (!text.includes('"seq":1')) text += new TextDecoder().decode((await reader.read()).value)
  await reader.cancel()
})

test('a code that is wrong, used or too old opens nothing and gives no cookie', async () => {
  await using api = await withLogin()
  const used = (await api.makeCode()).code
  expect((await api.post('/api/login', { code: used })).status).toBe(200)
  const old = await api.makeCode()
  api.clock.now = Date.parse(old.expiresAt)
  for (const code of [used, old.code, '0000-0000-0000', '\u0000', '']) {
    const response = await api.post('/api/login', { code })
    expect([code, response.headers.get('set-cookie')]).toEqual([code, null])
    expect([400, 401]).toContain(response.status)
  }
})

test('only the operator makes codes, and no cookie is asked for one', async () => {
  await using api = await withLogin()
  await addAgent(api.store, 'a-lead', 'lld_lead', { kind: 'lead' })
  const make = (headers: Record<string, string>) =>
    fetch(`${api.origin}/api/login/codes`, { method: 'POST', body: '{}', headers: { ...JSON_TYPE, ...headers } })
  expect(await errorOf(await make({}))).toEqual([401, 'unauthorized'])
  expect(await errorOf(await make({ authorization: 'Bearer lld_lead' }))).toEqual([403, 'forbidden'])
  expect((await make({ authorization: `Bearer ${TOKEN}` })).status).toBe(200)
})

test('a foreign page can neither log in nor out, whatever it knows', async () => {
  await using api = await withLogin()
  const cookie = await api.enter()
  const foreign: Record<string, string>[] = [
    { origin: 'http://evil.example' },
    { origin: 'null' },
    { origin: `http://localhost:${api.port}` },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ]
  for (const headers of foreign) {
    const { code } = await api.makeCode()
    for (const [path, body] of [
      ['/api/login', { code }],
      ['/api/logout', {}],
    ] as const) {
      const response = await api.post(path, body, { cookie, ...headers })
      expect([headers, path, response.status, response.headers.get('set-cookie')]).toEqual([headers, path, 403, null])
    }
    // It was not used up.
    expect((await api.post('/api/login', { code })).status).toBe(200)
  }
})

test('a write by cookie names its origin, and a read comes from our page or the person', async () => {
  await using api = await withLogin()
  const cookie = await api.enter()
  const write = (headers: Record<string, string>) =>
    fetch(`${api.origin}/api/rebuild`, { method: 'POST', body: '{}', headers: { ...JSON_TYPE, cookie, ...headers } })
  expect(await errorOf(await write({}))).toEqual([403, 'forbidden'])
  expect((await write({ origin: api.origin })).status).toBe(200)
  for (const origin of ['http://evil.example', 'null', `http://127.0.0.1:${api.port + 1}`, `${api.origin}/`])
    expect([origin, (await write({ origin })).status]).toEqual([origin, 403])
  const read = async (site?: string) =>
    (await fetch(`${api.origin}/api/sessions`, { headers: { cookie, ...(site && { 'sec-fetch-site': site }) } })).status
  expect([await read(), await read('same-origin'), await read('none')]).toEqual([200, 200, 200])
  expect([await read('cross-site'), await read('same-site'), await read('x')]).toEqual([403, 403, 403])
})

test('a name that was re-bound to us gets nothing with a cookie either', async () => {
  await using api = await withLogin()
  const cookie = await api.enter()
  for (const host of [`evil.example:${api.port}`, 'evil.example', `127.0.0.1.nip.io:${api.port}`]) {
    for (const line of ['GET /api/sessions', 'POST /api/login']) {
      const answer = await rawHttp(
        api.port,
        `${line} HTTP/1.1\r\nhost: ${host}\r\norigin: http://${host}\r\ncookie: ${cookie}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`,
      )
      expect([host, line, statusOfAnswer(answer)]).toEqual([host, line, 403])
    }
  }
})

test('a forged, cut, expired or foreign cookie is none, and the answer says so as for no token', async () => {
  await using api = await withLogin()
  const [name = '', value = ''] = (await api.enter()).split(/=(.*)/)
  api.clock.now -= 31 * 86_400_000
  const expired = (await api.enter()).split('=')[1] ?? ''
  const others = `lub_${'x'.repeat(43)}`
  const ask = (cookie: string) => fetch(`${api.origin}/api/sessions`, { headers: { cookie } })
  expect((await ask(`${name}=${value}`)).status).toBe(200)
  const none = await (await fetch(`${api.origin}/api/sessions`)).text()
  for (const cookie of [
    `${name}=`,
    `${name}=${value.slice(0, -1)}`,
    `${name}=${value.slice(0, -1)}${value.endsWith('A') ? 'E' : 'A'}`,
    `${name}=${value}x`,
    `${name}=${expired}`,
    `${name}=${others}`,
    `${name}=${TOKEN}`,
    `${name}="${value}"`,
    `lodeline_${api.port + 1}=${value}`,
    `lodeline=${value}`,
    `x${name}=${value}`,
    value,
  ]) {
    const response = await ask(cookie)
    expect([cookie, response.status, await response.text()]).toEqual([cookie, 401, none])
  }
  // Another server on this machine can set cookies of our name: that must lock nobody out.
  expect((await ask(`${name}=planted; ${name}=${value}`)).status).toBe(200)
})

test('agents’ own ways in take no cookie', async () => {
  await using api = await withLogin()
  const cookie = await api.enter()
  for (const path of ['/mcp', '/hooks/claude-code', '/mcp?x=/api/']) {
    const response = await api.post(path, {}, { cookie })
    expect([path, response.status]).toEqual([path, 401])
  }
  expect((await fetch(`${api.origin}/mcp`, { headers: { cookie, accept: 'text/event-stream' } })).status).toBe(401)
})

test('guesses from one address lock out no other, nor anybody on this machine', async () => {
  await using api = await withLogin()
  const enter = async (remote: string, code: string): Promise<number> => {
    const request = new Request(`${api.origin}/api/login`, {
      method: 'POST',
      body: JSON.stringify({ code }),
      headers: { ...JSON_TYPE, host: new URL(api.origin).host, origin: api.origin },
    })
    return (await api.app.fetch(request, { remote })).status
  }
  for (let n = 0; n < 10; n++)
    for (const from of ['203.0.113.5', '127.0.0.1']) expect(await enter(from, 'wrong')).toBe(401)
  const { code } = await api.makeCode()
  expect([await enter('203.0.113.5', code), await enter('127.0.0.1', 'wrong')]).toEqual([503, 401])
  // What was refused used nothing up.
  expect([await enter('203.0.113.6', code), await enter('127.0.0.1', (await api.makeCode()).code)]).toEqual([200, 200])
})

test('a token beside a cookie counts, right or wrong', async () => {
  await using api = await withLogin()
  await addAgent(api.store, 'a-worker', 'lwk_worker')
  const cookie = await api.enter()
  const me = (authorization: string) => fetch(`${api.origin}/api/me`, { headers: { cookie, authorization } })
  expect(await (await me('Bearer lwk_worker')).json()).toMatchObject({ kind: 'worker' })
  for (const wrong of ['Bearer x', 'Bearer ', 'Bearer', 'bearer lwk_nobody'])
    expect([wrong, (await me(wrong)).status]).toEqual([wrong, 401])
  // What a proxy before us asks for is none of ours.
  expect((await me('Basic eDp5')).status).toBe(200)
})

test('the feed is followed by cookie, from where it was left', async () => {
  await using api = await withLogin()
  await addFeed(api.store, 3)
  const cookie = await api.enter()
  const gone = new AbortController()
  const response = await fetch(`${api.origin}/api/feed`, {
    headers: { cookie, 'sec-fetch-site': 'same-origin', 'last-event-id': '1' },
    signal: gone.signal,
  })
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += new TextDecoder().decode(chunk)
    if (text.includes('id: 3')) break
  }
  expect(text).toContain('id: 2')
  expect(text).not.toContain('"seq":1,')
  gone.abort()
})

test('a server without an entrance takes no cookie, and a command in its own process makes no code', async () => {
  await using entrance = await withLogin()
  const [, value] = (await entrance.enter()).split('=')
  await using api = await overHttp(entrance.store)
  const cookie = `lodeline_${api.port}=${value}`
  expect((await fetch(`${api.origin}/api/sessions`, { headers: { cookie } })).status).toBe(401)
  await expect((await inProcess()).client.login.code()).rejects.toMatchObject({ code: 'unavailable' })
})

test('neither codes nor cookies come into the log', async () => {
  await using api = await withLogin()
  const { code } = await api.makeCode()
  const entered = await api.post('/api/login', { code })
  const cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? ''
  await api.post('/api/login', { code })
  await fetch(`${api.origin}/api/sessions`, { headers: { cookie } })
  const log = api.log.lines.join('\n')
  expect(log).toContain('login')
  expect(log).not.toContain(code)
  expect(log).not.toContain(cookie.split('=')[1] ?? 'x')
})
