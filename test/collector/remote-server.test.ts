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
import { rolloutsOf } from '../harness/codex/rollouts'
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
  const settings = { 'listen.port': 0, 'agents.claude-code.homes': [join(base, 'claude')] }
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

test('a file whose first line alone tells whose it is: from another host, with the copy of it lost', async () => {
  const rollouts = rolloutsOf('subagents-v1').map(({ ref, bytes }) => ({
    ref: { ...ref, path: join(base, 'there', ref.path) },
    bytes,
  }))
  const recorder = createRemoteRecorder({ client: await connect(), host: THERE, pieceBytes: 300 })
  const send = async (part: number) => {
    for (const { ref, bytes } of rollouts) {
      mkdirSync(dirname(ref.path), { recursive: true })
      writeFileSync(ref.path, bytes.subarray(0, Math.ceil(bytes.length * part)))
      expect(await recorder.recordFile(ref)).toMatchObject({
        state: 'grown',
        sessionId: rollouts[0]?.ref.sessionId ?? '',
      })
    }
  }
  await send(0.7)
  await server.stop()
  rmSync(join(base, 'home/hosts'), { recursive: true })
  server = await start()
  recorder.use(await connect())
  await send(1)
  const client = await connect()
  const { journals } = await client.sessions.journals(rollouts[0]?.ref.sessionId ?? '')
  const sizes = (all: { path: string; size: number }[]) => Object.fromEntries(all.map(({ path, size }) => [path, size]))
  expect(sizes(journals.map(({ path, incarnations }) => ({ path, size: incarnations[0]?.size ?? 0 })))).toEqual(
    sizes(rollouts.map(({ ref, bytes }) => ({ path: ref.path, size: bytes.length }))),
  )
  for (const { ref } of rollouts) await recorder.recordGone(ref)
  const { subagents } = await client.subagents.list({ sessionId: rollouts[0]?.ref.sessionId ?? '' })
  expect(subagents.map(({ toolUseId }) => toolUseId).sort()).toEqual(['call_0014_0', 'call_0014_1'] as never)
})
