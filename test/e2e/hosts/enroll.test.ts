/** A worker of another machine from its code to its end, and another token of the server: real processes, the real CLI. */
import { expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { openLab } from '../../lab/lab'
import { until } from '../../lab/until'

const modeOf = (path: string): number => statSync(path).mode & 0o777

test('a machine works with a token of its own from its code until it is revoked, and the server changes its own meanwhile', async () => {
  await using lab = await openLab({
    claude: { version: '2.1.328', script: 'tasks' },
    lode: { settings: { 'worker.enabled': false } },
    server: true,
  })
  const { lode, workers, tasks } = lab
  const there = join(lab.root, 'there')
  const seat = { name: 'builder', environment: { LODELINE_HOME: there } }
  const { code } = await lode.json<{ code: string }>('worker', 'enroll', 'builder')
  const first = await workers.start({ ...seat, access: ['--code', code] })
  const folder = join(there, 'worker-tokens')
  const [kept = ''] = readdirSync(folder)
  expect([modeOf(folder), modeOf(join(folder, kept)), existsSync(join(there, 'token'))]).toEqual([0o700, 0o600, false])
  expect(readFileSync(join(folder, kept), 'utf8')).not.toContain(lode.token)
  const hello = await tasks.create('say hello')
  await tasks.reached(hello.id, 'completed')
  expect((await tasks.newest(hello.id)).agentName).toBe('builder')
  first.signal('SIGTERM')
  expect(await first.ended).toBe(0)

  // Without a code, and while the server gets another token.
  const second = await workers.start({ ...seat, access: [] })
  const local = await workers.start({ name: 'local' })
  const before = lode.token
  await lode.json('token', 'rotate')
  expect(lode.token).not.toBe(before)
  // It tells what it can do by joining once more, with the token of now.
  expect((await lode.lode('config', 'set', 'worker.capabilities', 'gpu')).exitCode).toBe(0)
  const again = await tasks.create('say hello', { requiredCapabilities: ['gpu'] })
  await tasks.reached(again.id, 'completed')
  expect((await tasks.newest(again.id)).agentName).toBe('local')

  // Revoked in the middle of a run.
  const long = await tasks.create('work slowly', { agentId: 'builder' })
  await until('the run', async () => (await tasks.attempts(long.id)).some((one) => one.isLive && one.process !== null))
  await lode.json('worker', 'revoke', 'builder')
  const attempt = await tasks.newest(long.id)
  expect([attempt.isLive, attempt.outcome]).toEqual([false, 'lost'])
  expect(await second.ended).not.toBe(0)
  expect(second.stderr()).toContain('The access of the worker builder was revoked on ')
  await expect(workers.start({ ...seat, access: [] })).rejects.toThrow(
    'The access of the worker builder was revoked on ',
  )
  expect(existsSync(`/proc/${local.pid}`)).toBe(true)
})
