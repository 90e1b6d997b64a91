/** The server and the worker of `deploy/compose.yaml`, each the first process of a box without rights that is thrown away. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { SQL } from 'bun'
import { buildTestExecutable } from '../../scripts/tests/test-executable'
import { needBubblewrap } from '../lab/bubblewrap'
import { cliPath, NEWEST_CLI } from '../lab/claude'
import { PASS_ENVIRONMENT, QUICK_START } from '../lab/quick-start'
import { startCommand } from '../lab/running-command'
import { until } from '../lab/until'
import { type PostgresServer, startPostgres } from '../postgres'
import { temporaryFolder } from '../store-contract/databases'
import { type Container, DEPLOY, Engine, secondsOf, serviceOf } from './engine'

const ROOT = resolve(import.meta.dir, '../..')
const MODEL = 4_656
const URL_HERE = 'http://127.0.0.1:4655'
const SCRIPT = [
  { name: 'title', match: { who: 'aux' }, steps: [{ text: 'A title' }] },
  {
    name: 'cross',
    match: { who: 'main', first: 'cross over' },
    steps: [
      { tools: [{ name: 'Bash', input: { command: 'touch /projects/p/begun; while :; do sleep 0.1; done' } }] },
      { text: 'I am across.' },
    ],
  },
  { name: 'hello', match: { who: 'main' }, steps: [{ text: 'Hello.' }] },
]

const folder = temporaryFolder()
const projects = join(folder, 'projects')
let database: PostgresServer
let engine: Engine
let server: Container
let worker: Container
/** What was said before the server was thrown away. */
let session = ''

beforeAll(async () => {
  await needBubblewrap()
  const lode = await buildTestExecutable(ROOT)
  if (lode === null) throw new Error('there is no executable')
  const socketFolder = join(folder, 's')
  mkdirSync(socketFolder)
  database = await startPostgres({ fsync: false, socketFolder })
  const root = new SQL(database.url, { max: 1 })
  await root`create role lodeline login`
  await root`create database lodeline owner lodeline`
  await root.close()
  const socket = join(socketFolder, `.s.PGSQL.${new URL(database.url).port}`)
  for (const name of ['server.yaml', 'worker.yaml', 'prepare.sh']) cpSync(join(DEPLOY, name), join(folder, name))
  appendFileSync(
    join(folder, 'worker.yaml'),
    `  maxPermissionMode: bypassPermissions\n  passEnvironment: [${PASS_ENVIRONMENT}]\n`,
  )
  const settings = readFileSync(join(folder, 'server.yaml'), 'utf8')
  writeFileSync(join(folder, 'server.yaml'), settings.replace('drainSeconds: 5', 'drainSeconds: 1'))
  expect(
    (await startCommand(['sh', join(folder, 'prepare.sh')], { cwd: '/', env: { PATH: process.env.PATH ?? '' } }).exited)
      .exitCode,
  ).toBe(0)
  const project = join(projects, 'p')
  mkdirSync(project, { recursive: true })
  engine = await Engine.start({
    folder,
    lode,
    volumes: {
      'database-socket': ['--bind', socket, '/var/run/postgresql/.s.PGSQL.5432'],
      projects,
    },
    programs: { '/opt/agent/bin/claude': realpathSync(cliPath(NEWEST_CLI)) },
  })
  writeFileSync(join(folder, 'script.json'), JSON.stringify(SCRIPT))
  const model = [
    'node',
    join(ROOT, 'test/lab/model-server.mjs'),
    '--port',
    String(MODEL),
    '--script',
    join(folder, 'script.json'),
  ]
  engine.beside(model)
  server = engine.run('server')
  await healthy(server)
})
afterAll(async () => {
  await engine?.stop()
  await database?.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** As the engine asks by the file's own words. */
async function healthy(container: Container): Promise<void> {
  const [, ...words] = serviceOf('server').healthcheck?.test ?? []
  await until('the server to be healthy', async () => {
    if (container.over()) throw new Error(`it ended: ${container.stderr()}`)
    return container.first > 0 && (await container.exec(words.map((word) => word.replaceAll('$$', '$')))).exitCode === 0
  })
}

/** As the operator, on this machine's files, at the server's port. */
async function lode<T>(...words: string[]): Promise<T> {
  const { exitCode, stdout, stderr } = await engine.beside([join(ROOT, 'dist/lode-under-test'), ...words, '--json'], {
    HOME: folder,
    LODELINE_HOME: join(folder, 'operator'),
    LODELINE_SERVER: URL_HERE,
    LODELINE_TOKEN: readFileSync(join(folder, 'secrets/server-token'), 'utf8'),
    ...QUICK_START,
  }).exited
  if (exitCode !== 0) throw new Error(`lode ${words.join(' ')}: ${stderr}`)
  return JSON.parse(stdout)
}

const startWorker = (box: string[] = []): Container =>
  engine.run('worker', {
    environment: {
      PATH: '/opt/agent/bin:/usr/local/bin:/usr/bin:/bin',
      ANTHROPIC_API_KEY: 'none',
      ANTHROPIC_BASE_URL: `http://127.0.0.1:${MODEL}`,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      ...QUICK_START,
    },
    box,
  })

interface Task {
  task: { id: string; status: string }
  attempts: { outcome: string | null; conversation: { rung: string; sessionId: string } | null; agentName: string }[]
}
const create = async (text: string): Promise<string> =>
  (
    await lode<{ task: { id: string } }>(
      'task',
      'create',
      text,
      '--dir',
      '/projects/p',
      '--permission-mode',
      'bypassPermissions',
    )
  ).task.id
const show = (id: string) => lode<Task>('task', 'show', id)
const completed = (id: string) =>
  until(`task ${id}`, async () => {
    const found = await show(id)
    return found.task.status === 'completed' ? found : undefined
  })

/** Ends it as the engine does: it has to be over within the file's own time. */
async function ends(container: Container, name: string): Promise<number> {
  const since = performance.now()
  container.signal('SIGTERM')
  const code = await container.ended
  expect(performance.now() - since).toBeLessThan(secondsOf(serviceOf(name).stop_grace_period) * 1_000)
  return code
}

test('a worker gets its access as a secret and does a task, as the first process of a box that it can not write', async () => {
  const { code } = await lode<{ code: string }>('worker', 'enroll', 'builder')
  const entering = engine.run('worker', {
    command: ['worker', 'enter', code, '--server', 'http://server:4655', '--print'],
  })
  const entered = await entering.exited
  expect(entered).toMatchObject({ exitCode: 0, stderr: '' })
  writeFileSync(join(folder, 'secrets/worker-token'), entered.stdout.trim(), { mode: 0o600 })
  worker = startWorker()
  const { attempts } = await completed(await create('say hello'))
  expect(attempts.map(({ agentName, outcome }) => [agentName, outcome])).toEqual([['builder', 'completed']])
  for (const container of [server, worker]) {
    const facts = await container.exec(['sh', '-c', 'cat /proc/1/comm; id -u; touch /x /usr/x /usr/local/x; ls /home'])
    expect(facts.stdout).toBe(container === server ? 'lode\n10001\n' : 'lode\n10001\nlode\n')
    expect(facts.stderr.match(/Read-only file system/g)?.length).toBe(3)
  }
})

test('the image of a release asks whether the program runs', async () => {
  const [, words = ''] =
    /^HEALTHCHECK .*? CMD (\[.*\])$/m.exec(readFileSync(join(ROOT, 'scripts/release/files/Dockerfile'), 'utf8')) ?? []
  expect((await server.exec(JSON.parse(words))).exitCode).toBe(0)
  expect((await server.exec(JSON.parse(words.replace('/api/health', '/api/none')))).exitCode).toBe(1)
})

test('the first process waits for those that lose their parents', async () => {
  for (const container of [server, worker]) {
    const zombies = async () => (await container.exec(['ps', '-A', '-o', 'stat=,comm='])).stdout.match(/^Z.*$/gm) ?? []
    await container.exec(['sh', '-c', '(sleep 0 & sleep 0 &); until ps -A -o stat= | grep -q ^Z; do sleep 0.02; done'])
    await until('no zombie to be left', async () => (await zombies()).length === 0)
  }
})

test('a worker that is asked to end pauses its run in time, and goes on in a new container as the same machine', async () => {
  const id = await create('cross over')
  await until('the run', () => existsSync(join(projects, 'p/begun')))
  expect(await ends(worker, 'worker')).toBe(0)
  writeFileSync(
    join(folder, 'script.json'),
    JSON.stringify(
      SCRIPT.map((rule) => (rule.name === 'cross' ? { ...rule, steps: [{ text: 'I am across.' }] } : rule)),
    ),
  )
  worker = startWorker()
  const { attempts } = await completed(id)
  session = attempts[1]?.conversation?.sessionId ?? ''
  expect(attempts.map(({ agentName }) => agentName)).toEqual(['builder', 'builder'])
  // Its files went with the box; the record had the conversation.
  expect(attempts[1]?.conversation?.rung).toBe('restored')
  expect((await lode<{ agents: object[] }>('agent', 'list')).agents.length).toBe(1)
})

test('a server that ended, or was killed, is the same one in a new container', async () => {
  expect(await ends(server, 'server')).toBe(0)
  server = engine.run('server')
  await healthy(server)
  server.signal('SIGKILL')
  await server.ended
  server = engine.run('server')
  await healthy(server)
  await completed(await create('say hello again'))
  expect(JSON.stringify(await lode('session', 'show', session, '--conversation'))).toContain('I am across.')
  const url = new URL(database.url)
  url.pathname = '/lodeline'
  const sql = new SQL(url.href, { max: 1 })
  const tokens = await sql`select count(*)::int as made from operator_tokens`
  expect([...tokens]).toEqual([{ made: 1 }])
  await sql.close()
})

test('where a container allows no user namespaces the worker says so, and tasks run without a sandbox', async () => {
  const says = () => /tasks run without a sandbox .*bwrap does not work here: bwrap: (.*)"/.exec(worker.stderr())?.[1]
  // A sandbox needs a /proc of its own, which the kernel gives nobody who sees only a part of it.
  expect(says()).toContain("Can't mount proc")
  expect(await ends(worker, 'worker')).toBe(0)
  worker = startWorker(['--disable-userns'])
  await completed(await create('say hello here'))
  expect(says()).toMatch(/namespace/)
  const doctor = await worker.exec(['lode', 'doctor'])
  expect(doctor.stdout).toMatch(/bwrap does not work here/)
})

test('the feature for dev containers lets a worker in by a code, once, and starts it each time', async () => {
  const { code } = await lode<{ code: string }>('worker', 'enroll', 'dev')
  const volume = join(folder, 'dev')
  mkdirSync(volume)
  const box = ['--ro-bind', join(DEPLOY, 'devcontainer/lodeline'), '/feature', '--bind', volume, '/var/lib/lodeline']
  const PATH = '/opt/agent/bin:/usr/local/bin:/usr/bin:/bin'
  const options = { PATH, SERVER: 'http://server:4655', NAME: 'dev', LODELINE_HOME: '/var/lib/lodeline', HOME: '/root' }
  const made = '/feature/install.sh; /usr/local/share/lodeline/enter; /usr/local/share/lodeline/start; sleep infinity'
  const log = join(volume, 'log/worker.log')
  const starts = () => (existsSync(log) ? readFileSync(log, 'utf8').match(/takes tasks from/g) : null)?.length ?? 0
  for (const [n, environment] of [{ ...options, LODELINE_CODE: code }, options].entries()) {
    const dev = engine.script(made, environment, [...box, '--tmpfs', '/root'])
    await until(`start ${n + 1} of the worker`, () => {
      return starts() === n + 1
    })
    engine.kill(dev)
    await dev.ended
  }
  const { agents } = await lode<{ agents: { name: string }[] }>('agent', 'list')
  expect(agents.map(({ name }) => name).toSorted()).toEqual(['builder', 'dev'])
})
