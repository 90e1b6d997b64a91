/**
 * The two processes of a service, as it starts them: the server restarts, as by an update, and is killed. A run in the middle of a tool call
 * notices neither, and its worker makes room for a new one once nothing runs.
 */
import { expect, test } from 'bun:test'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { askRestart, readWorkerState } from '../../../src/app/service/worker-restart'
import type { Agent } from '../../../src/domain/agent'
import { openLab } from '../../lab/lab'
import { isAlive } from '../../lab/processes'
import { until } from '../../lab/until'

const SERVER = ['up', '--no-worker']
const WORKER = ['work', '--as-service']
/** A tool call that ends when the test says so, and a task that ends at once. */
const SCRIPT = [
  { name: 'title', match: { who: 'aux' }, steps: [{ text: 'A title' }] },
  { name: 'short', match: { who: 'main', first: 'say hello' }, steps: [{ text: 'Hello.' }] },
  {
    name: 'long',
    match: { who: 'main', first: 'light the lamp' },
    steps: [
      {
        text: 'I light it.',
        tools: [
          {
            name: 'Bash',
            input: { command: 'echo begun >> begun; while [ ! -e lit ]; do sleep 0.1; done', description: 'Light' },
          },
        ],
      },
      { text: 'The lamp is lit.' },
    ],
  },
]

test.each([
  ['sqlite', '2.1.330'],
  ['postgres', '2.1.328'],
] as const)(
  'on %s, a run goes on in its process while its server restarts elsewhere and is killed; then its worker restarts',
  async (database, version) => {
    await using lab = await openLab({ database, claude: { version, script: SCRIPT }, lode: {} })
    const { lode, tasks, claude } = lab
    const startWorker = async () => {
      const worker = lode.spawn(WORKER)
      await until('the worker', () => {
        if (!isAlive(worker.pid)) throw new Error(`it ended: ${worker.stderr()}`)
        return worker.stdout().includes('takes tasks from')
      })
      return worker
    }
    const machine = async (): Promise<Agent> => {
      const [only] = (await lode.client.agents.list({})).agents
      if (only === undefined) throw new Error('there is no worker')
      return only
    }

    // Before its server is there.
    const first = lode.spawn(WORKER)
    await lode.up(SERVER)
    await until('the worker', () => first.stdout().includes('takes tasks from'))
    const before = lode.url
    const { id } = await tasks.create('light the lamp')
    await until('the tool call', () => existsSync(join(claude.project, 'begun')))
    const cli = (await tasks.newest(id)).process?.pid ?? 0
    expect(isAlive(cli)).toBe(true)

    // As an update does.
    await lode.stop()
    await lode.up(SERVER)
    expect(lode.url).not.toBe(before)
    askRestart(lode.home, 'runs')
    const asked = await until('the server to hear of the restart', async () => {
      const { restartAskedAt, running } = await machine()
      return restartAskedAt !== null && { restartAskedAt, running }
    })
    expect(asked.running).toBe(1)
    expect(readWorkerState(lode.home, 'runs')).toMatchObject({ pid: first.pid, ...asked })
    expect((await lode.lode('machine', 'list')).stdout).toContain('restart due')
    for (const command of ['status', 'doctor'])
      expect((await lode.lode(command)).stdout).toMatch(/runs \S+, restarts when its run ends, asked/)

    // It takes tasks meanwhile: what runs may wait for them.
    const meanwhile = await tasks.create('say hello')
    await tasks.reached(meanwhile.id, 'completed')

    await lode.kill()
    await lode.up(SERVER)
    expect([isAlive(cli), isAlive(first.pid)]).toEqual([true, true])
    writeFileSync(join(claude.project, 'lit'), '')
    const done = await tasks.reached(id, 'completed')
    expect([done.attemptCount, done.output]).toEqual([1, 'The lamp is lit.'])
    expect((await tasks.newest(id)).process?.pid).toBe(cli)
    expect(await first.ended).toBe(0)
    expect(isAlive(cli)).toBe(false)
    expect(readWorkerState(lode.home, 'runs')).toBeNull()

    const next = await tasks.create('say hello')
    const second = await startWorker()
    await tasks.reached(next.id, 'completed')
    expect((await machine()).restartAskedAt).toBeNull()
    second.signal('SIGTERM')
    expect(await second.ended).toBe(0)
  },
)
