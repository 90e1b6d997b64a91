import { expect, test } from 'bun:test'
import { idNumber } from '../../samples/sessions'
import { addSession } from '../seed'
import { overHttp, TOKEN } from '../start-api'
import { openTestStore } from '../test-store'
import { rawHttp, statusOfAnswer } from './raw-http'

const auth = `authorization: Bearer ${TOKEN}\r\n`

async function errorOf(response: Response): Promise<{ status: number; code: string }> {
  const body = (await response.json()) as { error: { code: string } }
  return { status: response.status, code: body.error.code }
}

test('a request whose Host is not exactly ours is refused, token or not', async () => {
  await using api = await overHttp()
  const hosts = [
    'evil.example',
    `evil.example:${api.port}`,
    `127.0.0.1:${api.port}.evil.example`,
    `127.0.0.1.evil.example:${api.port}`,
    '127.0.0.1',
    '127.0.0.1:1',
    `0.0.0.0:${api.port}`,
    `localhost.:${api.port}`,
    `user@127.0.0.1:${api.port}`,
    `127.0.0.1:${api.port}/api/health?`,
    `127.0.0.1:${api.port}, evil.example`,
    '',
  ]
  for (const host of hosts) {
    for (const path of ['/api/health', '/api/sessions', '/nothing']) {
      const answer = await rawHttp(
        api.port,
        `GET ${path} HTTP/1.1\r\nhost: ${host}\r\n${auth}connection: close\r\n\r\n`,
      )
      expect([host, path, [400, 403].includes(statusOfAnswer(answer))]).toEqual([host, path, true])
    }
  }
})

test('a request without a Host is refused', async () => {
  await using api = await overHttp()
  for (const version of ['1.0', '1.1']) {
    const answer = await rawHttp(api.port, `GET /api/health HTTP/${version}\r\n${auth}connection: close\r\n\r\n`)
    expect([400, 403]).toContain(statusOfAnswer(answer))
  }
})

test('two Host headers, or a whole address in the request line, reach nothing under another name', async () => {
  await using api = await overHttp()
  const own = `127.0.0.1:${api.port}`
  const requests = [
    `GET /api/sessions HTTP/1.1\r\nhost: ${own}\r\nhost: evil.example\r\n${auth}connection: close\r\n\r\n`,
    `GET /api/sessions HTTP/1.1\r\nhost: evil.example\r\nhost: ${own}\r\n${auth}connection: close\r\n\r\n`,
    `GET http://evil.example/api/sessions HTTP/1.1\r\nhost: evil.example\r\n${auth}connection: close\r\n\r\n`,
  ]
  for (const request of requests) expect([400, 403]).toContain(statusOfAnswer(await rawHttp(api.port, request)))
})

test('every name of loopback with our port is ours', async () => {
  await using api = await overHttp()
  for (const name of ['127.0.0.1', 'localhost', '[::1]']) {
    const answer = await rawHttp(
      api.port,
      `GET /api/health HTTP/1.1\r\nhost: ${name}:${api.port}\r\nconnection: close\r\n\r\n`,
    )
    expect(statusOfAnswer(answer)).toBe(200)
  }
})

test('a foreign Origin is refused on reads and writes, and so is null', async () => {
  await using api = await overHttp()
  const foreign = [
    'null',
    'http://evil.example',
    `http://127.0.0.1:${api.port + 1}`,
    `https://127.0.0.1:${api.port}`,
    `http://localhost:${api.port}`,
  ]
  for (const origin of foreign) {
    for (const [method, path] of [
      ['GET', '/api/health'],
      ['GET', '/api/sessions'],
      ['POST', '/api/rebuild'],
      ['POST', '/hooks/claude-code'],
      ['OPTIONS', '/api/rebuild'],
    ] as const) {
      const response = await api.send(path, {
        method,
        headers: { origin, 'content-type': 'application/json' },
        ...(method === 'POST' && { body: '{}' }),
      })
      expect([origin, method, path, response.status]).toEqual([origin, method, path, 403])
    }
  }
  expect((await api.send('/api/sessions', { headers: { origin: api.origin } })).status).toBe(200)
})

test('fetch metadata of another site is refused, and a browser must name its origin to write', async () => {
  await using api = await overHttp()
  const post = (headers: Record<string, string>) =>
    api.send('/api/rebuild', {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json', ...headers },
    })
  for (const site of ['cross-site', 'same-site', 'nonsense']) {
    expect((await api.send('/api/sessions', { headers: { 'sec-fetch-site': site } })).status).toBe(403)
    expect((await post({ 'sec-fetch-site': site })).status).toBe(403)
  }
  expect((await post({ 'sec-fetch-site': 'same-origin' })).status).toBe(403)
  expect((await post({ 'sec-fetch-site': 'none' })).status).toBe(403)
  expect((await post({ 'sec-fetch-site': 'same-origin', origin: api.origin })).status).toBe(200)
  expect((await api.send('/api/sessions', { headers: { 'sec-fetch-site': 'none' } })).status).toBe(200)
  expect((await post({})).status).toBe(200)
})

test('no answer allows another origin to read it', async () => {
  await using api = await overHttp()
  for (const path of ['/api/health', '/api/sessions', '/nothing']) {
    const response = await api.send(path)
    expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
    expect(response.headers.get('cross-origin-resource-policy')).toBe('same-origin')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  }
})

test('everything but health asks for the token, and says the same for none and a wrong one', async () => {
  await using api = await overHttp()
  const bodies = new Set<string>()
  const wrong = [
    '',
    'Bearer',
    'Bearer ',
    `Bearer ${TOKEN}x`,
    `Bearer ${TOKEN.slice(1)}`,
    `Basic ${TOKEN}`,
    TOKEN,
    `Bearer ${TOKEN} ${TOKEN}`,
  ]
  for (const authorization of wrong) {
    const response = await api.send('/api/sessions', { headers: { authorization } })
    expect([authorization, response.status]).toEqual([authorization, 401])
    bodies.add(await response.text())
  }
  expect(bodies.size).toBe(1)
  expect((await fetch(`${api.origin}/api/sessions?token=${TOKEN}`)).status).toBe(401)
  expect((await fetch(`${api.origin}/hooks/claude-code`, { method: 'POST', body: '{}' })).status).toBe(401)
  expect((await fetch(`${api.origin}/api/health`)).status).toBe(200)
})

test('a write must say that it is JSON, so that no form can send it', async () => {
  await using api = await overHttp()
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'text/plain; application/json',
    '',
  ]) {
    for (const path of ['/api/import', '/api/rebuild', '/hooks/claude-code']) {
      const response = await api.send(path, { method: 'POST', body: '{}', headers: { 'content-type': type } })
      expect([type, path, response.status]).toEqual([type, path, 400])
    }
  }
  const charset = { 'content-type': 'Application/JSON; charset=utf-8' }
  expect((await api.send('/api/rebuild', { method: 'POST', body: '{}', headers: charset })).status).toBe(200)
})

test('a body over the limit is refused, whether its length is announced or not', async () => {
  await using api = await overHttp(undefined, { bodyBytes: 1_000, hookBodyBytes: 5_000 })
  const json = { 'content-type': 'application/json' }
  const announced = await api.send('/api/import', {
    method: 'POST',
    body: JSON.stringify({ paths: ['/x'.repeat(800)] }),
    headers: json,
  })
  expect(await errorOf(announced)).toEqual({ status: 413, code: 'too_large' })
  const chunked =
    `POST /api/import HTTP/1.1\r\nhost: 127.0.0.1:${api.port}\r\n${auth}content-type: application/json\r\n` +
    `transfer-encoding: chunked\r\n\r\n${`400\r\n${'x'.repeat(1_024)}\r\n`.repeat(3)}`
  expect(statusOfAnswer(await rawHttp(api.port, chunked))).toBe(413)
  const hook = (size: number) =>
    api.send('/hooks/claude-code', { method: 'POST', body: JSON.stringify({ text: 'x'.repeat(size) }), headers: json })
  expect((await hook(4_000)).status).toBe(204)
  expect((await hook(6_000)).status).toBe(413)
  expect(api.services.hooks.length).toBe(1)
})

test('a body that comes too slowly is given up', async () => {
  await using api = await overHttp(undefined, { bodyTimeoutMs: 50 })
  const slow =
    `POST /api/import HTTP/1.1\r\nhost: 127.0.0.1:${api.port}\r\n${auth}content-type: application/json\r\n` +
    'content-length: 1000\r\n\r\n{"paths":'
  const answer = await rawHttp(api.port, slow, (text) => text.includes('did not arrive'))
  expect(statusOfAnswer(answer)).toBe(400)
  expect(api.services.imported).toEqual([])
})

test('an id can hold no path, control character or dot segment', async () => {
  await using api = await overHttp()
  const ids = [
    '..%2f..%2fetc%2fpasswd',
    '%2e%2e%2f',
    'a%00b',
    'a%0d%0ax-injected:%201',
    'a%5cb',
    'a%20b',
    '%e2%80%ae',
    'x'.repeat(201),
  ]
  for (const id of ids) {
    for (const tail of ['', '/tree', '/events', '/export', '/journals']) {
      const response = await api.send(`/api/sessions/${id}${tail}`)
      expect([id, tail, await errorOf(response)]).toEqual([id, tail, { status: 400, code: 'invalid' }])
    }
  }
  expect(await errorOf(await api.send('/api/sessions/%zz'))).toEqual({ status: 400, code: 'invalid' })
  const outside = await rawHttp(
    api.port,
    `GET /api/sessions/../../../etc/passwd HTTP/1.1\r\nhost: 127.0.0.1:${api.port}\r\n${auth}connection: close\r\n\r\n`,
  )
  expect(statusOfAnswer(outside)).toBe(404)
})

test('what is stored can put nothing into a header', async () => {
  const store = await openTestStore()
  const id = 'a";x=1'
  await addSession(store, id, { bytes: new Uint8Array([1]) })
  await using api = await overHttp(store)
  const response = await api.send(`/api/sessions/${encodeURIComponent(id)}/export`)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-disposition')).toBe('attachment; filename="a__x_1.tar"')
  await response.arrayBuffer()
})

test('neither the token nor what was asked stands in the log', async () => {
  await using api = await overHttp()
  await api.send(`/api/search?q=my-secret-question`)
  await api.send(`/api/sessions/${idNumber(1)}?token=${TOKEN}`)
  await api.send('/api/sessions', { headers: { authorization: 'Bearer wrong-secret' } })
  const log = api.log.lines.join('\n')
  expect(log).toContain('search')
  for (const secret of [TOKEN, 'my-secret-question', 'wrong-secret']) expect(log).not.toContain(secret)
})

test('an unknown path or method is told as every error is', async () => {
  await using api = await overHttp()
  for (const [method, path] of [
    ['GET', '/'],
    ['GET', '/api'],
    ['GET', '/api/sessions/'],
    ['PUT', '/api/sessions'],
    ['DELETE', '/api/events'],
    ['GET', '/api/import'],
    ['GET', '/api/__proto__'],
  ] as const) {
    const response = await api.send(path, { method })
    expect([method, path, await errorOf(response)]).toEqual([method, path, { status: 404, code: 'not_found' }])
    expect(response.headers.get('lodeline-version')).toBe('1.2.3')
  }
})
