import { afterAll, afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { NONCE_HEADER, PROOF_HEADER } from '../../api/contract/protocol'
import { processPlace } from '../../util/process/server-process'
import { proveToken } from '../../util/token-proof'
import { dispatch } from '../dispatch'
import { findServer, readServerFile } from './connect'
import { fakeIo } from './fake-io'

const root = mkdtempSync('/tmp/ld-')
let home: string
let made = 0
const servers: { stop(force: boolean): Promise<void> }[] = []
beforeEach(() => {
  home = join(root, String(made++))
  mkdirSync(home)
})
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop(true)
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const TOKEN = 'ab'.repeat(32)
const never = new AbortController().signal
async function lode(line: string, env: Record<string, string> = {}) {
  const io = fakeIo({ env: { LODELINE_HOME: home, HOME: home, ...env }, cwd: home })
  const code = await dispatch(line.split(' '), io, never)
  return { code, out: io.stdout, err: io.stderr }
}

/** A server that answers health and one list, and remembers what it was asked. It has this token. */
function serve(answer?: (request: Request) => Response | Promise<Response>, token = TOKEN) {
  const seen: { path: string; authorization: string | null }[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url)
      seen.push({ path: pathname, authorization: request.headers.get('authorization') })
      if (answer) return answer(request)
      const nonce = request.headers.get(NONCE_HEADER) ?? ''
      const proof = await proveToken(token, nonce, request.headers.get('host') ?? '')
      if (pathname === '/api/health')
        return Response.json({ status: 'ok', version: '9.9.9', uptimeMs: 1 }, { headers: { [PROOF_HEADER]: proof } })
      return Response.json({ sessions: [], nextCursor: null }, { headers: { 'Lodeline-Version': '9.9.9' } })
    },
  })
  servers.push(server)
  return { url: `http://127.0.0.1:${server.port}`, seen }
}
function announce(url: string, pid = process.pid) {
  writeFileSync(
    join(home, 'server.json'),
    JSON.stringify({ url, pid, version: '9.9.9', startedAt: '2026-01-01T00:00:00Z' }),
  )
  writeFileSync(join(home, 'token'), `${TOKEN}\n`, { mode: 0o600 })
}

describe('a live server', () => {
  test('is asked, with the token, and its other version is told', async () => {
    const server = serve()
    announce(server.url)
    const { code, out, err } = await lode('session list --json')
    expect([code, out]).toEqual([0, '{"sessions":[],"nextCursor":null}\n'])
    expect(server.seen).toEqual([
      { path: '/api/health', authorization: null },
      { path: '/api/sessions', authorization: `Bearer ${TOKEN}` },
    ])
    expect(err).toContain('has version 9.9.9')
    expect((await lode('session list --json --quiet')).err).toBe('')
  })
  test('that takes the connection and does not answer is told with its process, not passed by', async () => {
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const server = serve(async () => {
      await held
      return new Response()
    })
    announce(server.url)
    const { code, err } = await lode('session list')
    release()
    expect(code).toBe(8)
    expect(err).toContain(`(process ${process.pid}) is running but does not respond: no answer within 1.5 s`)
  })
})

describe('a program that has the port of a server', () => {
  const asked = (server: { seen: { path: string; authorization: string | null }[] }) =>
    server.seen.map(({ path, authorization }) => [path, authorization])

  test('is not given the token while the process of the file lives', async () => {
    const other = serve(undefined, 'cd'.repeat(32))
    announce(other.url)
    const { code, err } = await lode('session list')
    expect([code, err]).toEqual([8, expect.stringContaining("can't prove that it is the server of this token")])
    expect(asked(other)).toEqual([['/api/health', null]])
  })
  test('is not given the token where it is named, nor one from the environment', async () => {
    const other = serve(undefined, 'cd'.repeat(32))
    announce('http://127.0.0.1:1')
    expect((await lode(`session list --server ${other.url}`)).code).toBe(8)
    expect((await lode(`session list --server ${other.url}`, { LODELINE_TOKEN: 'ef'.repeat(32) })).code).toBe(8)
    expect(asked(other)).toEqual(Array(2).fill(['/api/health', null]))
  })
  test('is not even asked where the process of the file is gone, although another has its number', async () => {
    const other = serve()
    announce(other.url)
    const file = JSON.parse(readFileSync(join(home, 'server.json'), 'utf8'))
    const gone = { instance: 'x', pid: process.pid, processStart: 'another', place: processPlace() }
    writeFileSync(join(home, 'server.json'), JSON.stringify({ ...file, process: gone }))
    expect(await findServer(home)).toBeNull()
    expect(other.seen).toEqual([])
  })
  test('can not have the proof made by the real server at another address', async () => {
    const real = serve()
    // It passes on what it is asked, and what it is answered.
    const relay = serve(async (request) => {
      const { pathname } = new URL(request.url)
      const nonce = request.headers.get(NONCE_HEADER) ?? ''
      return await fetch(real.url + pathname, { headers: { [NONCE_HEADER]: nonce } })
    })
    announce(relay.url)
    expect((await lode('session list')).code).toBe(8)
    expect(asked(relay)).toEqual([['/api/health', null]])
  })
})

describe('a server that is gone', () => {
  test('is no server: its port refuses, or answers as something else', async () => {
    const server = serve(() => new Response('hello'))
    announce(server.url)
    expect(await findServer(home)).toBeNull()
    await servers.pop()?.stop(true)
    expect(await findServer(home)).toBeNull()
  })
  test('may have left any bytes in its file', () => {
    const path = join(home, 'server.json')
    const texts = [
      '',
      '{',
      'null',
      '[]',
      '{"url":5,"pid":1}',
      '{"url":"file:///etc","pid":1}',
      '{"url":"http://h","pid":-1}',
      '{"url":"http://h","pid":"1"}',
    ]
    for (const text of texts) {
      writeFileSync(path, text)
      expect([text, readServerFile(path)]).toEqual([text, null])
    }
    expect(readServerFile(join(home, 'none'))).toBeNull()
  })
})

describe('a named server', () => {
  test('goes before the one that runs here, and gets the token of this machine when it is on it', async () => {
    const named = serve()
    const local = serve()
    announce(local.url)
    expect((await lode(`session list --server ${named.url}`)).code).toBe(0)
    expect((await lode('session list', { LODELINE_SERVER: named.url })).code).toBe(0)
    expect([local.seen.length, named.seen.length]).toEqual([0, 4])
    expect(named.seen[3]?.authorization).toBe(`Bearer ${TOKEN}`)
  })
  test('without encryption beyond this machine is used with a warning, once', async () => {
    const named = serve()
    // An address that is not one of loopback, and leads there.
    const url = named.url.replace('127.0.0.1', '0.0.0.0')
    const { code, err } = await lode(`session list --server ${url}`, { LODELINE_TOKEN: TOKEN })
    expect([code, err.split('is not encrypted').length]).toEqual([0, 2])
    expect((await lode(`session list --server ${named.url}`)).err).not.toContain('is not encrypted')
  })
  test('that is away is told with what was tried, what was seen and what to type', async () => {
    const { code, err } = await lode('session list --server http://127.0.0.1:1')
    expect(code).toBe(8)
    expect(err).toBe(
      'lode: The server at http://127.0.0.1:1 (--server) does not respond: the connection was refused.\n' +
        "  Start it there with 'lode up' or 'lode serve', or leave out --server to use this machine's record.\n",
    )
  })
  test('is refused when it is no address', async () => {
    for (const url of ['nonsense', 'file:///x', 'http://u:p@h', 'http://h/path']) {
      expect((await lode(`session list --server ${url}`)).code).toBe(2)
    }
  })
})

describe('within a run of a task', () => {
  const env = (url: string) => ({ LODELINE_URL: url, LODELINE_TOKEN: 'lat_x' })
  test('its own server answers, with its own token, whatever else runs or is named in the environment', async () => {
    const own = serve()
    const local = serve()
    announce(local.url)
    expect((await lode('session list', { ...env(own.url), LODELINE_SERVER: local.url })).code).toBe(0)
    expect([own.seen[1]?.authorization, local.seen.length]).toEqual(['Bearer lat_x', 0])
  })
  test('another server is refused before the token could reach it', async () => {
    const own = serve()
    const other = serve()
    const { code, err } = await lode(`session list --server ${other.url}`, env(own.url))
    expect([code, other.seen.length]).toEqual([2, 0])
    expect(err).toContain('must use its own server')
  })
  test('nothing is answered in process: a server that is away is an error', async () => {
    expect((await lode('session list', env('http://127.0.0.1:1'))).err).toContain('(LODELINE_URL) does not respond')
    expect((await lode('session list', { LODELINE_TOKEN: 'lat_x' })).code).toBe(8)
  })
})

test('a PostgreSQL database is read through a server only', async () => {
  const { code, err } = await lode('session list', { LODELINE_DATABASE_URL: 'postgres://127.0.0.1:1/x' })
  expect(code).toBe(8)
  expect(err).toContain("Start one with 'lode serve'")
})

test('without a server the same answer is made in process', async () => {
  expect(await lode('session list --json')).toEqual({ code: 0, out: '{"sessions":[],"nextCursor":null}\n', err: '' })
})
