/** The whole way of a file from another host: over HTTP, through the record threads, into the database. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createClient } from '../../src/api/client/client'
import { httpTransport } from '../../src/api/client/http-transport'
import { ensureToken } from '../../src/api/client/token-file'
import { type RunningServer, startServer } from '../../src/app/server/server'
import { createRemoteRecorder } from '../../src/collector/remote-recorder'
import { loadConfig } from '../../src/config/load'
import { claudeCode } from '../../src/harness/claude-code'
import { silentLogger } from '../../src/util/log'
import { VERSION } from '../../src/util/version'
import { declared } from '../api/answers/declared-answers'
import { prompt, uuid } from '../record/recording'
import { THERE } from './remote-world'

let base: string
let server: RunningServer
beforeEach(async () => {
  base = mkdtempSync('/tmp/ld-')
  server = await start()
})
afterEach(async () => {
  await server.stop()
  rmSync(base, { recursive: true, force: true })
})

async function start(): Promise<RunningServer> {
  const home = join(base, 'home')
  const settings = { 'listen.port': 0, 'claude.roots': [join(base, 'claude')] }
  const config = loadConfig({ env: {}, cwd: base, flags: { home, settings } })
  return await startServer({ config, log: silentLogger, isCollecting: false })
}

async function connect() {
  const token = await ensureToken(join(base, 'home'))
  return createClient(declared(httpTransport({ token, origin: server.url })), { baseUrl: server.url, version: VERSION })
}

test('a file of another host goes on over restarts of the server, and is recorded as it stands', async () => {
  const session = crypto.randomUUID()
  const path = join(base, 'there/projects/-p', `${session}.jsonl`)
  const ref = claudeCode.classify(path)
  if (ref === null) throw new Error('no transcript')
  mkdirSync(dirname(path), { recursive: true })
  let text = ''
  const recorder = createRemoteRecorder({ client: await connect(), host: THERE, pieceBytes: 500 })
  for (let round = 0; round < 3; round++) {
    for (let i = 0; i < 5; i++) text += prompt(session, `round ${round} line ${i}`, uuid())
    // Written over in place: the same beginning under the same inode.
    writeFileSync(path, text)
    expect(await recorder.recordFile(ref)).toMatchObject({ state: 'grown', eventsAdded: 5 })
    await server.stop()
    server = await start()
    recorder.use(await connect())
  }
  const client = await connect()
  expect(await client.sessions.get(session)).toMatchObject({ session: { host: THERE.hostname } })
  const { journals } = await client.sessions.journals(session)
  expect(journals).toMatchObject([{ kind: 'transcript', path, incarnations: [{ size: Buffer.byteLength(text) }] }])
  await client.sessions.forget(session)
  appendFileSync(path, prompt(session, 'after', uuid()))
  expect(await recorder.recordFile(ref)).toMatchObject({ state: 'forgotten' })
})
