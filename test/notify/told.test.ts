/** From the command line to a phone and back: a real server, and a service of the test's own. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createClient, httpTransport } from '../../src/api/client'
import { startNotifyUpkeep } from '../../src/app/notify/notify-upkeep'
import { type RunningServer, startServer } from '../../src/app/server/server'
import { dispatch } from '../../src/cli/dispatch'
import { fakeIo } from '../../src/cli/kit/fake-io'
import { loadConfig } from '../../src/config/load'
import { createNotifyService } from '../../src/engine/notify/notify-service'
import type { Logger } from '../../src/util/log'
import { KeptLog } from '../api/start-api'
import { until } from '../lab/until'
import { onEachDatabase } from '../store-contract/databases'
import { Crew } from '../tasks/crew'

const root = realpathSync(mkdtempSync('/tmp/ld-'))
const home = join(root, 'lode')
const got: { actions: { body: string }[]; title: string; click: string }[] = []
const service = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    got.push((await request.json()) as (typeof got)[number])
    return new Response()
  },
})
const topic = `http://127.0.0.1:${service.port}/phone`
const configOf = (settings: Record<string, unknown> = {}) =>
  loadConfig({
    env: { HOME: root, LODELINE_HOME: home },
    cwd: root,
    flags: { settings: { 'listen.port': 0, 'agents.claude-code.homes': [join(root, '.claude')], ...settings } },
  })

let server: RunningServer
beforeAll(async () => {
  server = await startServer({ config: configOf(), log: new KeptLog() as unknown as Logger, isCollecting: false })
})
afterAll(async () => {
  await server.stop()
  service.stop(true)
  rmSync(root, { recursive: true, force: true })
})

async function lode(...words: string[]) {
  const io = fakeIo({ env: { HOME: root, LODELINE_HOME: home }, cwd: root, columns: 80 })
  const code = await dispatch(words, io, new AbortController().signal)
  return { code, stdout: io.stdout, stderr: io.stderr }
}

test('a channel is added, tested, listed, logged and removed by commands', async () => {
  expect(await lode('notify', 'list')).toMatchObject({ code: 0, stderr: expect.stringContaining('no channels') })
  const added = await lode('notify', 'add', 'ntfy', 'phone', topic, '--on', 'question', '--pause', '22:00-07:00')
  expect(added).toMatchObject({ code: 0, stdout: 'saved phone\n' })
  expect(await lode('notify', 'test', 'phone')).toMatchObject({ code: 0, stdout: 'phone took the test\n' })
  expect(got.splice(0)).toMatchObject([{ title: 'Lodeline reaches you here' }])
  const list = await lode('notify', 'list')
  for (const words of ['phone', 'ntfy', 'question', 'not 22:00-07:00', '/phone']) expect(list.stdout).toContain(words)
  expect(Math.max(...list.stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
  expect((await lode('notify', 'log')).stdout).toContain('sent')
  // What is changed leaves the rest.
  expect(await lode('notify', 'add', 'ntfy', 'phone', '--after', '2m')).toMatchObject({ code: 0 })
  expect((await lode('notify', 'list')).stdout).toContain('after 2m')
  expect(await lode('notify', 'remove', 'phone')).toMatchObject({ code: 0, stdout: 'removed phone\n' })
  const gone = await lode('notify', 'test', 'phone')
  expect(gone.code).not.toBe(0)
  expect(gone.stderr).toContain('lode notify list')
})

test('a test that is refused fails with the reason', async () => {
  await lode('notify', 'add', 'command', 'say', '--', 'true')
  const { code, stderr } = await lode('notify', 'test', 'say')
  expect(code).not.toBe(0)
  expect(stderr).toContain('lode config set notify.commands true')
  await lode('notify', 'remove', 'say')
})

test('a button that nobody made is refused without a token', async () => {
  const stranger = createClient(httpTransport({ token: '', origin: server.url }), { baseUrl: server.url })
  await expect(stranger.notify.answer({ secret: 'n-1.x', behavior: 'allow' })).rejects.toMatchObject({
    code: 'unauthorized',
  })
})

onEachDatabase((database) => {
  test('a question of a run reaches the phone, and the press of its button the run', async () => {
    const { store } = database
    const crew = new Crew(store, { now: Date.now() })
    const notify = createNotifyService({ store })
    await notify.put({ kind: 'operator' }, { name: 'phone', kind: 'ntfy', target: topic })
    const config = configOf({ 'server.publicUrl': 'https://lode.example' })
    const log = new KeptLog() as unknown as Logger
    const stop = startNotifyUpkeep({ store, notify, config, localUrl: 'http://127.0.0.1:1', log })
    try {
      const worker = await crew.worker(`w-${crypto.randomUUID()}`)
      await crew.create({ title: 'Light the lamp' })
      const given = await worker.take()
      // What stood before the channel is no news to it: the question comes later.
      crew.now = Date.now()
      const { id } = await crew.service.ask(worker.caller, given.attemptId, {
        toolUseId: null,
        toolName: 'Bash',
        input: { command: 'ls' },
        description: null,
        default: 'deny',
        deadlineMs: 3_600_000,
      })
      await until('the phone to ring', () => got.some(({ title }) => title === 'Light the lamp'))
      const ring = got.splice(0).find(({ title }) => title === 'Light the lamp')
      expect(ring?.click).toBe(`https://lode.example/?need=${encodeURIComponent(`question:${id}`)}`)
      const { secret, behavior } = JSON.parse(ring?.actions[1]?.body ?? '{}') as { secret: string; behavior: 'deny' }
      await notify.answer(secret, behavior)
      const { rows } = await store.tasks.questions({ taskId: given.task.id }, { limit: 10 })
      expect(rows).toMatchObject([{ id, status: 'answered', answer: { behavior: 'deny' } }])
    } finally {
      await stop()
    }
  })
})
