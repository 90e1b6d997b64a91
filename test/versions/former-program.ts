/** A former executable and this one: `npm run versions` builds both and runs this file. Not part of `npm test`. */
import { expect, test } from 'bun:test'
import { copyFileSync, existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { cliPath } from '../lab/claude'
import { freePort } from '../lab/free-port'
import { type LabWith, openLab } from '../lab/lab'
import type { Lode } from '../lab/lode'
import { isAlive, processTree } from '../lab/processes'
import { PASS_ENVIRONMENT } from '../lab/quick-start'
import { until } from '../lab/until'
import { LODE } from '../lode-command'
import { testDatabase } from '../postgres'

const executable = process.env.LODELINE_FORMER_EXECUTABLE
if (executable === undefined) throw new Error('Run it by: npm run versions -- COMMIT')
const FORMER = [executable]
const VERSION = '2.1.328'
/** Tasks that each program makes while both are at work, and tasks that ask the agent CLI. */
const MADE = 8
const RUN = 2

interface Shown {
  task: { id: string; status: string }
  attempts: { conversation: { rung: string; resumedSessionId: string | null; sessionId: string } | null }[]
}
interface Migrations {
  current?: number
  version?: number
}

/** An installation of either program for the CLI of the lab. */
function installation(
  lab: LabWith<'claude'>,
  name: string,
  command: readonly string[],
  databaseUrl?: string,
  settings: Record<string, unknown> = {},
): Lode {
  const { claude } = lab
  return lab.addLode(name, {
    command,
    databaseUrl,
    claudeRoots: [claude.claudeRoot],
    cwd: claude.project,
    isKilled: true,
    env: claude.environment(),
    settings: {
      'agents.claude-code.executable': cliPath(VERSION),
      'worker.maxPermissionMode': 'bypassPermissions',
      'worker.passEnvironment': PASS_ENVIRONMENT,
      'worker.sandbox': 'off',
      // Both are on this machine, whose name is what a worker is called otherwise.
      'worker.name': name,
      ...settings,
    },
  })
}

const create = async (lode: Lode, text: string, ...more: string[]): Promise<string> =>
  (await lode.json<Shown>('task', 'create', text, '--permission-mode', 'bypassPermissions', ...more)).task.id

test('an update during a run: the new program brings the schema up, and the run goes on in its conversation', async () => {
  await using lab = await openLab({ claude: { version: VERSION, script: 'tasks' } })
  const settings = { 'listen.port': freePort() }
  const former = installation(lab, 'l', FORMER, undefined, settings)
  // Not the tables of this program.
  expect((await former.lode('db', 'migrate', 'up')).exitCode).toBe(0)
  const before = await former.json<Migrations>('db', 'migrate', 'status')
  const first = await former.up()
  const id = await create(former, 'work slowly')
  await until('the slow command', () => existsSync(join(lab.claude.project, 'slow.txt')))
  const tree = processTree(first.pid)
  first.signal('SIGTERM')
  expect((await first.exited).exitCode).toBe(0)
  await until('its processes to be gone', () => !tree.some(isAlive))

  const later = installation(lab, 'l', LODE, undefined, settings)
  await later.up()
  const after = await later.json<Migrations>('db', 'migrate', 'status')
  console.log('schema', JSON.stringify(before).slice(0, 80), '->', JSON.stringify(after).slice(0, 80))
  expect((await later.lode('task', 'wait', id, '--timeout', '90s')).exitCode).toBe(0)
  const { attempts } = await later.json<Shown>('task', 'show', id)
  const [begun, resumed] = attempts.map(({ conversation }) => conversation)
  expect([attempts.length, begun?.rung, resumed?.rung]).toEqual([2, 'fresh', 'native'])
  expect(resumed?.resumedSessionId).toBe(begun?.sessionId ?? '')
  // The former program refuses what it no longer knows, and harms nothing.
  const refused = await former.lode('session', 'list', '--server', 'http://127.0.0.1:9')
  expect(refused.exitCode).toBeGreaterThan(0)
  expect((await later.lode('session', 'list')).exitCode).toBe(0)
  await later.stop()
})

test('an update of the server during a run of a worker that goes on with the former program: the same process ends it', async () => {
  await using lab = await openLab({ claude: { version: VERSION, script: 'tasks' } })
  // Its guards and hooks are started by the path that the update changes.
  const program = join(lab.folder('bin'), 'lode')
  copyFileSync(FORMER[0] ?? '', program)
  const settings = { 'listen.port': freePort(), 'worker.enabled': false }
  const lode = installation(lab, 'l', [program], undefined, settings)
  expect((await lode.lode('db', 'migrate', 'up')).exitCode).toBe(0)
  await lode.up()
  const worker = lode.spawn(['work'])
  const id = await create(lode, 'work slowly')
  await until('the slow command', () => existsSync(join(lab.claude.project, 'slow.txt')))
  await lode.stop()
  copyFileSync(LODE[0] ?? '', `${program}.new`)
  renameSync(`${program}.new`, program)
  await lode.up()
  // A task that begins meanwhile: the former worker with the guard of the new program.
  const meanwhile = await create(lode, 'say hello')
  for (const each of [meanwhile, id])
    expect((await lode.lode('task', 'wait', each, '--timeout', '90s')).exitCode).toBe(0)
  expect((await lode.json<Shown>('task', 'show', id)).attempts).toHaveLength(1)
  worker.signal('SIGTERM')
  expect(await worker.ended).toBe(0)
  await lode.stop()
})

test('both at work on one PostgreSQL, under load: either both do all of it, or the schema waits for the former to end', async () => {
  await using lab = await openLab({ claude: { version: VERSION, script: 'tasks' } })
  const database = await testDatabase({ isEmpty: true })
  lab.ending('the database', () => database.drop())
  const former = installation(lab, 'former', FORMER, database.url)
  expect((await former.lode('db', 'migrate', 'up')).exitCode).toBe(0)
  await former.up(['up'], 'Lodeline runs')

  const later = installation(lab, 'later', LODE, database.url)
  const up = await later.lode('db', 'migrate', 'up')
  console.log('db migrate up beside the former server:', up.exitCode, up.stdout.trim(), up.stderr.trim())
  if (up.exitCode !== 0) {
    // It names the program that it waits for, and the former one goes on as before.
    expect(up.stderr).toMatch(/server/)
    const id = await create(former, 'say hello')
    expect((await former.lode('task', 'wait', id, '--timeout', '60s')).exitCode).toBe(0)
    await former.stop()
    expect((await later.lode('db', 'migrate', 'up')).exitCode).toBe(0)
    await later.up(['up'], 'Lodeline runs')
    expect((await later.json<Shown>('task', 'show', id)).task.status).toBe('completed')
    return
  }
  await later.up(['up'], 'Lodeline runs')
  const made = await Promise.all(
    [former, later].map(async (lode) => {
      const ids: string[] = []
      for (let n = 0; n < MADE; n++) ids.push(await create(lode, `task ${n}`, '--backlog'))
      for (let n = 0; n < RUN; n++) ids.push(await create(lode, 'say hello'))
      return ids
    }),
  )
  const ids = made.flat()
  const runs = made.flatMap((each) => each.slice(MADE))
  for (const id of runs) expect((await later.lode('task', 'wait', id, '--timeout', '120s')).exitCode).toBe(0)
  for (const lode of [former, later]) {
    for (const id of ids) {
      const { task } = await lode.json<Shown>('task', 'show', id)
      expect([id, task.status]).toEqual([id, runs.includes(id) ? 'completed' : task.status])
    }
    expect((await lode.lode('status')).exitCode).toBe(0)
  }
  console.log(`${ids.length} tasks made and ${runs.length} run by both, all seen by both`)
  // The former one ends first, and the later one is left with all of it.
  await former.stop()
  const id = await create(later, 'say hello')
  expect((await later.lode('task', 'wait', id, '--timeout', '60s')).exitCode).toBe(0)
})
