import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { createClient, httpTransport } from '../../src/api/client'
import { type RunningServer, type ServerOptions, startServer } from '../../src/app/server/server'
import { loadConfig } from '../../src/config/load'
import { silentLogger } from '../../src/util/log'
import { until } from '../lab/until'
import { failureOf } from '../store-contract/databases'

const CERTIFICATE = {
  certFile: join(import.meta.dir, '../fixtures/tls/cert.pem'),
  keyFile: join(import.meta.dir, '../fixtures/tls/key.pem'),
}

let home: string
let running: RunningServer[]
beforeEach(() => {
  home = mkdtempSync('/tmp/ld-')
  running = []
})
afterEach(async () => {
  for (const server of running) await server.stop()
  rmSync(home, { recursive: true, force: true })
})

async function start(host: string, options: Partial<ServerOptions> = {}): Promise<RunningServer> {
  const flags = {
    home,
    settings: { 'listen.host': host, 'listen.port': 0, 'agents.claude-code.homes': [join(home, 'claude')] },
  }
  const config = loadConfig({ env: {}, cwd: home, flags })
  const server = await startServer({ config, log: silentLogger, isCollecting: true, ...options })
  running.push(server)
  return server
}

const localUrl = (): string => (JSON.parse(readFileSync(join(home, 'server.json'), 'utf8')) as { url: string }).url
const healthOf = async (url: string, init: RequestInit = {}) =>
  (await (await fetch(`${url}/api/health`, init)).json()) as { status: string }

test('listens beyond this machine only with a certificate or when told in so many words', async () => {
  expect(await failureOf(start('0.0.0.0'))).toMatchObject({ code: 'invalid' })
  const server = await start('0.0.0.0', { isInsecureAllowed: true })
  expect(await healthOf(server.url)).toMatchObject({ status: 'ok' })
})

test('serves HTTPS with a certificate, and its own machine on loopback beside it', async () => {
  const server = await start('127.0.0.1', { certificate: CERTIFICATE })
  expect(server.url).toStartWith('https://127.0.0.1:')
  const tls = { ca: readFileSync(CERTIFICATE.certFile, 'utf8') }
  expect(await healthOf(server.url, { tls } as RequestInit)).toMatchObject({ status: 'ok' })
  expect(localUrl()).toStartWith('http://127.0.0.1:')
  expect(await healthOf(localUrl())).toMatchObject({ status: 'ok' })
})

test('says what to do where nothing can be written to its folder', async () => {
  // As on a disk that is read only: no user may write there.
  mkdirSync(join(home, 'server.lock'))
  expect(await failureOf(start('127.0.0.1'))).toMatchObject({
    code: 'storage_readonly',
    message: expect.stringContaining(home),
    hint: expect.stringContaining('--home DIR'),
  })
  rmSync(join(home, 'server.lock'), { recursive: true })
})

test('says that it lost its database once the file is removed or another, and can be stopped then', async () => {
  const first = await start('127.0.0.1')
  const path = join(home, 'lodeline.db')
  const isAlone = await Promise.race([first.lost, Bun.sleep(50)])
  expect(isAlone).toBeUndefined()
  rmSync(path)
  expect(await first.lost).toMatchObject({ code: 'conflict', message: expect.stringContaining('was removed') })
  await first.stop()
  const second = await start('127.0.0.1')
  copyFileSync(path, `${path}.copy`)
  renameSync(`${path}.copy`, path)
  expect(await second.lost).toMatchObject({ code: 'conflict', message: expect.stringContaining('was replaced') })
})

test('a hook is in the record when its request is answered, also where nobody follows files', async () => {
  const server = await start('127.0.0.1', { isCollecting: false })
  const authorization = `Bearer ${readFileSync(join(home, 'token'), 'utf8').trim()}`
  const session_id = crypto.randomUUID()
  const body = JSON.stringify({ session_id, hook_event_name: 'SessionStart', source: 'startup', cwd: home })
  const headers = { authorization, 'content-type': 'application/json' }
  expect((await fetch(`${server.url}/hooks/claude-code`, { method: 'POST', body, headers })).status).toBe(204)
  const found = await fetch(`${server.url}/api/sessions/${session_id}`, { headers })
  expect(await found.json()).toMatchObject({ session: { id: session_id } })
})

test('a hook is answered while another program holds the database, and is in the record afterwards', async () => {
  const server = await start('127.0.0.1', { isCollecting: true })
  const authorization = `Bearer ${readFileSync(join(home, 'token'), 'utf8').trim()}`
  const session_id = crypto.randomUUID()
  const body = JSON.stringify({ session_id, hook_event_name: 'SessionStart', source: 'startup', cwd: home })
  const headers = { authorization, 'content-type': 'application/json' }
  const other = new Database(join(home, 'lodeline.db'))
  other.run('begin immediate')
  const answered = await fetch(`${server.url}/hooks/claude-code`, { method: 'POST', body, headers })
  expect(answered.status).toBe(204)
  const session = async () => await fetch(`${server.url}/api/sessions/${session_id}`, { headers })
  expect((await session()).status).toBe(404)
  other.run('rollback')
  other.close()
  await until('the session', async () => (await session()).status === 200)
})

test('a certificate that can not be read is told, and nothing stays open', async () => {
  const certificate = { ...CERTIFICATE, keyFile: join(home, 'none.pem') }
  expect(await failureOf(start('127.0.0.1', { certificate }))).toMatchObject({ code: 'invalid' })
  await start('127.0.0.1')
})

test('one server runs on a folder; the second is refused and the first goes on', async () => {
  const server = await start('127.0.0.1')
  expect(await failureOf(start('127.0.0.1'))).toMatchObject({ code: 'conflict' })
  expect(await healthOf(server.url)).toMatchObject({ status: 'ok' })
})

test('what it keeps is readable by its owner alone, and its notice goes when it ends', async () => {
  const server = await start('127.0.0.1')
  for (const name of ['token', 'server.json', 'lodeline.db', 'host-id'])
    expect([name, statSync(join(home, name)).mode & 0o077]).toEqual([name, 0])
  expect(statSync(home).mode & 0o077).toBe(0)
  await server.stop()
  expect(() => statSync(join(home, 'server.json'))).toThrow()
})

test('a killed CLI stays gone where a hook that it had started speaks after its process was seen gone', async () => {
  const id = crypto.randomUUID()
  const [sessions, project] = [join(home, 'claude/sessions'), join(home, 'claude/projects/-p')]
  for (const folder of [sessions, project]) mkdirSync(folder, { recursive: true })
  const say = (type: 'user' | 'assistant', at: number) =>
    appendFileSync(
      join(project, `${id}.jsonl`),
      `${JSON.stringify({
        type,
        uuid: crypto.randomUUID(),
        parentUuid: null,
        isSidechain: false,
        timestamp: new Date(at).toISOString(),
        sessionId: id,
        cwd: home,
        message: { role: type, content: [{ type: 'text', text: 'Look around.' }] },
      })}\n`,
    )
  say('user', Date.now() - 2_000)
  const { pid } = Bun.spawnSync(['true'])
  writeFileSync(join(sessions, `${pid}.json`), JSON.stringify({ pid, sessionId: id, procStart: '1', startedAt: 1 }))
  const { url } = await start('127.0.0.1')
  const token = readFileSync(join(home, 'token'), 'utf8').trim()
  const client = createClient(httpTransport({ token, origin: url }), { baseUrl: url })
  const evidence = async () => (await client.sessions.get(id).catch(() => null))?.session.statusEvidence ?? ''
  const isGone = async () => / gone/.test(await evidence())
  await until('the end of the process', isGone)
  say('user', Date.now())
  await until('the late word', async () => !(await isGone()))
  await until('the end of the process again', isGone)
})
