import { afterEach, beforeEach, expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Client, createClient, httpTransport } from '../../src/api/client'
import { ensureToken } from '../../src/api/client/token-file'
import { type RunningServer, type ServerOptions, startServer } from '../../src/app/server/server'
import { dispatch } from '../../src/cli/dispatch'
import { fakeIo } from '../../src/cli/kit/fake-io'
import { differences } from '../../src/cli/kit/json-shapes'
import { loadConfig } from '../../src/config/load'
import { silentLogger } from '../../src/util/log'
import { declared } from '../api/answers/declared-answers'

/** A person's terminal, a real server, and a browser that keeps the cookies that it is given. */
const TRANSCRIPTS = join(import.meta.dir, '../fixtures/claude-code/transcripts/2.1.328')

let root: string
let home: string
let server: RunningServer | undefined
beforeEach(() => {
  root = realpathSync(mkdtempSync('/tmp/ld-'))
  home = join(root, 'lode')
})
afterEach(async () => {
  await server?.stop()
  server = undefined
  rmSync(root, { recursive: true, force: true })
})

async function start(port = 0, host = '127.0.0.1', options: Partial<ServerOptions> = {}): Promise<RunningServer> {
  const config = loadConfig({
    env: { HOME: root, LODELINE_HOME: home },
    cwd: root,
    flags: {
      settings: { 'listen.host': host, 'listen.port': port, 'agents.claude-code.homes': [join(root, '.claude')] },
    },
  })
  server = await startServer({ config, log: silentLogger, isCollecting: false, ...options })
  return server
}

async function lode(words: string[], env: Record<string, string> = {}) {
  const io = fakeIo({ env: { HOME: root, LODELINE_HOME: home, PATH: root, ...env }, cwd: root })
  const code = await dispatch(words, io, new AbortController().signal)
  return { code, out: io.stdout, err: io.stderr }
}

async function open(...words: string[]): Promise<{ url: string; code: string; expiresAt: string }> {
  const { code, out, err } = await lode(['open', ...words, '--json'])
  if (code !== 0) throw new Error(`lode open ended with ${code}: ${err}`)
  return JSON.parse(out)
}

/** Where a page says that it should go on to. */
const pageIn = (url: string): string | null => new URLSearchParams(new URL(url).hash.slice(1)).get('to')

const operator = async (url: string): Promise<Client> =>
  createClient(declared(httpTransport({ token: await ensureToken(home), origin: url })), { baseUrl: url })

/** What the login page does with a code. */
async function enter(origin: string, code: string): Promise<{ status: number; cookie: string }> {
  const response = await fetch(`${origin}/api/login`, {
    method: 'POST',
    body: JSON.stringify({ code }),
    headers: { 'content-type': 'application/json', origin },
  })
  return { status: response.status, cookie: response.headers.get('set-cookie')?.split(';')[0] ?? '' }
}
const who = async (origin: string, cookie: string): Promise<number> =>
  (await fetch(`${origin}/api/me`, { headers: { cookie } })).status

test('without a server says how to start one, and makes no record', async () => {
  const { code, out, err } = await lode(['open'])
  expect([code, out]).toEqual([8, ''])
  expect(err).toContain("Start one with 'lode up'")
  expect(existsSync(join(home, 'lodeline.db'))).toBe(false)
})

test('the code that it gives logs a browser in, once', async () => {
  const { url } = await start()
  const answer = await open()
  expect(differences(answer, 'lode open', 'lode open')).toEqual([])
  expect(answer.url).toBe(`${url}/login#code=${answer.code}&to=%2F`)
  expect(Date.parse(answer.expiresAt) - Date.now()).toBeGreaterThan(100_000)
  const { status, cookie } = await enter(url, answer.code)
  expect([status, await who(url, cookie)]).toEqual([200, 200])
  expect((await enter(url, answer.code)).status).toBe(401)
})

test('a login outlives the server, and ends with the token', async () => {
  const first = await start()
  const port = Number(new URL(first.url).port)
  const { cookie } = await enter(first.url, (await open()).code)
  await first.stop()
  await start(port)
  expect(await who(first.url, cookie)).toBe(200)
  await server?.stop()
  writeFileSync(join(home, 'token'), `${'a'.repeat(64)}\n`)
  await start(port)
  expect(await who(first.url, cookie)).toBe(401)
})

test('an id leads to its own page, and a path is kept as it is', async () => {
  const { url } = await start()
  const client = await operator(url)
  const { task } = await client.tasks.create({ task: 'x', dir: root })
  const { issue } = await client.issues.create({ title: 'y' })
  await client.import({ paths: [TRANSCRIPTS] })
  const session = (await client.sessions.list({ limit: 1 })).sessions[0]?.id ?? ''
  const pages = async (...named: string[]) =>
    await Promise.all(named.map(async (each) => pageIn((await open(each)).url)))
  expect(await pages(task.id, `${task.id}.1`, issue.id, session, session.slice(0, 13))).toEqual([
    `/tasks/${task.id}`,
    `/tasks/${task.id}`,
    `/issues/${issue.id}`,
    `/sessions/${session}`,
    `/sessions/${session}`,
  ])
  expect(await pages('/', '/tree?status=running#x', '/search?q=ä b')).toEqual([
    '/',
    '/tree?status=running#x',
    '/search?q=%C3%A4%20b',
  ])
})

test('what leads to no page of ours is refused, and makes no code', async () => {
  await start()
  const paths = ['//evil.example', '/\\evil.example', '/a\nb', '/\t/evil.example', '/..//evil', `/${'x'.repeat(3_000)}`]
  for (const named of paths) expect([named, (await lode(['open', named, '--json'])).code]).toEqual([named, 2])
  for (const named of ['t-none', 'nothing', '..', 'http://evil.example/', '\u0000'])
    expect([named, (await lode(['open', named, '--json'])).code]).toEqual([named, 3])
})

test("opens the desktop's browser, and prints a second code for any other one", async () => {
  const { url } = await start()
  const desk = join(root, 'xdg-open')
  writeFileSync(desk, `#!/bin/sh\nprintf '%s\\n' "$@" > '${root}/opened'\n`)
  chmodSync(desk, 0o700)
  const { code, out, err } = await lode(['open', '/tree'], { DISPLAY: ':0' })
  expect([code, err]).toEqual([0, ''])
  const page = readFileSync(join(root, 'opened'), 'utf8').trim()
  // What other users may see of the browser's arguments holds no code.
  expect([page.startsWith(join(home, 'open')), page.includes('code')]).toEqual([true, false])
  const opened = /url=([^"]+)/.exec(readFileSync(page, 'utf8'))?.[1]?.replaceAll('&amp;', '&') ?? ''
  const given = /#code=([\w-]+)/.exec(opened)?.[1] ?? ''
  const printed = /code +([\w-]{14}) /.exec(out)?.[1] ?? ''
  expect(opened).toBe(`${url}/login#code=${given}&to=%2Ftree`)
  expect(out).toContain(`opened ${url}/tree\n`)
  expect(out).toContain(`elsewhere  ${url}/login\n`)
  expect([(await enter(url, given)).status, (await enter(url, printed)).status]).toEqual([200, 200])
})

test('prints the whole address where nothing can be opened, or nothing should', async () => {
  const { url } = await start()
  for (const [words, note] of [
    [['open'], 'open the address yourself'],
    [['open', '--print'], ''],
  ] as const) {
    const { code, out, err } = await lode([...words], words.length > 1 ? { DISPLAY: ':0' } : {})
    expect([code, err.includes('browser')]).toEqual([0, note !== ''])
    expect(err).toContain(note)
    expect(out).toMatch(new RegExp(`^${url}/login#code=[\\w-]{14}&to=%2F\n`))
  }
})

test('for other machines tells where the server listens', async () => {
  await start(0, '0.0.0.0', { isInsecureAllowed: true })
  const { out } = await lode(['open', '--print'])
  const elsewhere = /elsewhere +(http:\S+)\/login/.exec(out)?.[1] ?? ''
  expect(elsewhere).not.toContain('0.0.0.0')
  expect(new URL(elsewhere).port).toBe(new URL(server?.url ?? '').port)
})

test('a certificate makes the cookie one that is never sent in the clear', async () => {
  const certFile = join(import.meta.dir, '../fixtures/tls/cert.pem')
  const keyFile = join(import.meta.dir, '../fixtures/tls/key.pem')
  const { url } = await start(0, '127.0.0.1', { certificate: { certFile, keyFile } })
  const { code } = await open()
  const response = await fetch(`${url}/api/login`, {
    method: 'POST',
    body: JSON.stringify({ code }),
    headers: { 'content-type': 'application/json', origin: url },
    tls: { ca: readFileSync(certFile, 'utf8') },
  } as RequestInit)
  expect(response.headers.get('strict-transport-security')).toBe('max-age=2592000')
  expect([response.status, response.headers.get('set-cookie')?.endsWith('; SameSite=Strict; Secure')]).toEqual([
    200,
    true,
  ])
})

test('a run of a task makes no code', async () => {
  const { url } = await start()
  const { code, out } = await lode(['open', '--print'], { LODELINE_URL: url, LODELINE_TOKEN: 'lat_nobody' })
  expect([code, out]).toEqual([5, ''])
})
