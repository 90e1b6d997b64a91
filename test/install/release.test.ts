/** That what is released can be installed, used and removed, on this machine's system. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import manifest from '../../package.json'
import { hostTarget, type Target } from '../../scripts/release/targets'
import { Claude, NEWEST_CLI } from '../lab/claude'
import { type CommandResult, startCommand } from '../lab/running-command'
import { until } from '../lab/until'
import { type LocalRegistry, localRegistry } from './local-registry'

const root = resolve(import.meta.dir, '../..')
const TRANSCRIPT = '2ae79ea6-eb8c-4ec9-b6f3-ca64fa01e41b'
const FIXTURE = join(root, `test/fixtures/claude-code/transcripts/2.1.328/forked/${TRANSCRIPT}.jsonl`)
const found = hostTarget()
if (found === undefined) throw new Error('A release has no executable for this system.')
const host: Target = found
const tarball = `lodeline-${host.name}-${manifest.version}.tgz`

const folder = realpathSync(mkdtempSync('/tmp/ld-rel-'))
// Another user looks in.
chmodSync(folder, 0o755)
const release = join(folder, 'release')
let registry: LocalRegistry
let said: CommandResult

beforeAll(async () => {
  said = await run(
    [process.execPath, join(root, 'scripts/release/release.ts'), '--target', 'host', '--quick', '--out', release],
    {
      env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' },
    },
  )
  expect(said).toMatchObject({ exitCode: 0 })
  registry = await localRegistry(release)
})
afterAll(async () => {
  await registry?.stop()
  rmSync(folder, { recursive: true, force: true })
})

interface Place {
  env: Record<string, string>
  cwd?: string
  /** Before each command: what makes another user of its caller. */
  as?: readonly string[]
}
const start = (words: string[], { env, cwd = '/', as = [] }: Place) => startCommand([...as, ...words], { env, cwd })
const run = (words: string[], place: Place) => start(words, place).exited

/** A user without rights, where root runs the tests. */
const NOBODY = 65_534
const AS_NOBODY = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', '--no-new-privs']

/** A machine on which nothing is installed but Node: an empty HOME and an empty prefix. */
function machine(name: string, user: 'caller' | 'nobody' = 'caller') {
  const home = join(folder, name, 'home')
  const prefix = join(folder, name, 'prefix')
  const isOther = user === 'nobody' && process.getuid?.() === 0
  for (const path of [home, prefix]) mkdirSync(path, { recursive: true })
  if (isOther) for (const path of [join(folder, name), home, prefix]) chownSync(path, NOBODY, NOBODY)
  const as = isOther ? AS_NOBODY : []
  const tools = dirname(realpathSync(Bun.which('node') ?? ''))
  const env = {
    PATH: `${join(prefix, 'bin')}:${tools}:/usr/local/bin:/usr/bin:/bin`,
    HOME: home,
    npm_config_registry: registry.url,
    npm_config_prefix: prefix,
    npm_config_cache: join(folder, name, 'cache'),
    npm_config_userconfig: join(folder, name, 'npmrc'),
    npm_config_update_notifier: 'false',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
  }
  const program = join(prefix, 'bin/lode')
  const lode = (...words: string[]) => run([program, ...words], { env, as })
  const npm = async (...words: string[]) => {
    const done = await run(['npm', ...words], { env, as })
    if (done.exitCode !== 0) throw new Error(`npm ${words.join(' ')}: ${done.stderr}`)
    return done
  }
  return { home, prefix, env, as, program, lode, npm }
}
type Machine = ReturnType<typeof machine>

/** Everything below a folder but folders. */
const filesOf = (path: string): string[] =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))

/** `lode up` records a conversation that the machine has, and ends by a signal. */
async function recordsASession(me: Machine): Promise<void> {
  const project = join(me.home, '.claude/projects/-home-me-app')
  mkdirSync(project, { recursive: true })
  cpSync(FIXTURE, join(project, `${TRANSCRIPT}.jsonl`))
  await recordsIt(me, async () => TRANSCRIPT)
}

/** `lode up` records what the real CLI does meanwhile, told by its hooks too. */
async function recordsARun(me: Machine): Promise<void> {
  const { home, lode } = me
  const root = join(folder, 'cli')
  mkdirSync(root)
  const claude = await Claude.start(root, { version: NEWEST_CLI, script: 'tasks' })
  try {
    expect(await lode('setup', 'claude')).toMatchObject({ exitCode: 0 })
    await recordsIt(me, async () => {
      const session = crypto.randomUUID()
      const done = await claude.run({ prompt: 'say hello', sessionId: session, env: { HOME: home } })
      expect(done).toMatchObject({ exitCode: 0 })
      return session
    })
  } finally {
    await claude.stop()
  }
}

async function recordsIt(me: Machine, happens: () => Promise<string>): Promise<void> {
  const server = start([me.program, 'up', '--port', '0'], { ...me, cwd: me.home })
  try {
    await until('the server', () => server.stdout().includes('runs at'))
    const session = await happens()
    await until('the session in the record', async () =>
      (await me.lode('session', 'list', '--json')).stdout.includes(session),
    )
  } finally {
    server.signal('SIGTERM')
  }
  expect(await server.exited).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('lode session list') })
}

describe('a release', () => {
  test('names what it does not make, and why', () => {
    expect(said.stderr).toContain('skipped install.ps1: it needs the package for win32-x64')
    expect(said.stderr).toContain('skipped lodeline.rb: a formula needs --url')
  })
  test('has the sum of each of its files', async () => {
    const files = readdirSync(release).filter((name) => name !== 'SHA256SUMS')
    expect(files.sort()).toEqual(['install.sh', 'lode.cdx.json', `lodeline-${manifest.version}.tgz`, tarball].sort())
    const lines = readFileSync(join(release, 'SHA256SUMS'), 'utf8').trim().split('\n')
    expect(lines.map((line) => line.slice(66))).toEqual(files.sort())
    const checked = await run(['sha256sum', '-c', 'SHA256SUMS'], { env: { PATH: '/usr/bin:/bin' }, cwd: release })
    expect(checked).toMatchObject({ exitCode: 0, stderr: '' })
  })
  test('is not put into a folder with other things', async () => {
    const other = join(folder, 'other')
    mkdirSync(other)
    writeFileSync(join(other, 'thesis.txt'), 'mine')
    const done = await run([process.execPath, join(root, 'scripts/release/release.ts'), '--out', other], {
      env: { PATH: process.env.PATH ?? '' },
    })
    expect(done).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('thesis.txt') })
    expect(readdirSync(other)).toEqual(['thesis.txt'])
  })
})

describe('installed by npm', () => {
  let me: Machine
  beforeAll(async () => {
    me = machine('npm')
    await me.npm('install', '--global', 'lodeline')
  })

  test('npm fetches the launcher and the package of this system only', () => {
    expect([...registry.fetched].sort()).toEqual([`lodeline-${manifest.version}.tgz`, tarball].sort())
  })
  test('lode is the executable itself: no Node runs', async () => {
    expect(readFileSync(realpathSync(me.program)).subarray(0, 2).toString()).not.toBe('#!')
    const { stdout } = await run([me.program, 'version'], { env: { HOME: me.home, PATH: '' } })
    expect(stdout).toStartWith(`lode ${manifest.version} `)
  })
  test('it is smaller than 150 MB, and has the plugin', async () => {
    const bytes = filesOf(me.prefix).reduce((sum, file) => sum + lstatSync(file).size, 0)
    expect(bytes).toBeLessThan(150_000_000)
    const { stdout } = await me.lode('setup', 'claude', '--plugin', '--json')
    const { folder: plugin } = JSON.parse(stdout) as { folder: string }
    expect(existsSync(join(plugin, 'hooks/hooks.json'))).toBe(true)
    expect(existsSync(join(dirname(plugin), '.claude-plugin/marketplace.json'))).toBe(true)
  })
  test('lode up records a run of the real CLI, and its hooks', () => recordsARun(me), 180_000)
  test('lode uninstall and npm remove all but what the CLI and the record left in the home', async () => {
    expect(existsSync(join(me.home, '.claude/settings.json'))).toBe(true)
    expect(await me.lode('uninstall')).toMatchObject({ exitCode: 0 })
    await me.npm('uninstall', '--global', 'lodeline')
    expect(filesOf(me.prefix)).toEqual([])
    expect(existsSync(join(me.home, '.claude/settings.json'))).toBe(false)
    const names = readdirSync(me.home).filter((name) => !name.startsWith('.claude'))
    expect(names).toEqual(['.lodeline'])
  })
})

describe('installed by npm without install scripts, as a user without rights', () => {
  let me: Machine
  beforeAll(async () => {
    me = machine('bare', 'nobody')
    await me.npm('install', '--global', '--ignore-scripts', 'lodeline')
  })

  test('the launcher passes words, answers and exit codes on', async () => {
    expect(readFileSync(realpathSync(me.program), 'utf8')).toStartWith('#!/usr/bin/env node')
    expect((await me.lode('version')).stdout).toStartWith(`lode ${manifest.version} `)
    const wrong = await me.lode('task', 'show', 't-00000000', 'a "b" $c', '--json')
    const same = await run([executableOf(me), 'task', 'show', 't-00000000', 'a "b" $c', '--json'], me)
    expect(wrong.exitCode).toBeGreaterThan(0)
    expect(wrong).toEqual(same)
  })
  test('lode up records a session, and ends in order by a signal to the launcher', () => recordsASession(me), 180_000)
  test('a signal that ends the executable ends the launcher in the same way', async () => {
    const server = start([me.program, 'up', '--port', '0'], { ...me, cwd: me.home })
    await until('the server', () => server.stdout().includes('runs at'))
    const { pid } = JSON.parse(readFileSync(join(me.home, '.lodeline/server.json'), 'utf8')) as { pid: number }
    process.kill(pid, 'SIGKILL')
    expect(await server.ended).toBe(137)
  })
  test('it says so when the package of the system is missing', async () => {
    rmSync(dirname(dirname(executableOf(me))), { recursive: true })
    const { exitCode, stderr } = await me.lode('version')
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`@lodeline/${host.name} is not installed`)])
  })
})

const executableOf = ({ prefix }: Machine): string =>
  filesOf(prefix).find((file) => file.endsWith(`@lodeline/${host.name}/bin/lode`)) ?? ''

test('npx runs it without an installation', async () => {
  const me = machine('npx')
  const { stdout } = await me.npm('exec', '--yes', 'lodeline', '--', 'version')
  expect(stdout).toStartWith(`lode ${manifest.version} `)
  expect(filesOf(me.prefix)).toEqual([])
})

/** The last one that uses the registry: the newest release is another one from then on. */
const upgrades = async (): Promise<void> => {
  const me = machine('upgraded')
  await me.npm('install', '--global', 'lodeline')
  const look = async () => JSON.parse((await me.lode('upgrade', '--check', '--json')).stdout)
  expect(await look()).toMatchObject({ way: 'npm', latest: manifest.version, isNewer: false, isUpgraded: false })
  await registry.publish('99.0.0')
  expect(await look()).toMatchObject({ latest: '99.0.0', isNewer: true, isUpgraded: false })
  const server = start([me.program, 'up', '--port', '0'], { ...me, cwd: me.home })
  await until('the server', () => server.stdout().includes('runs at'))
  const done = await me.lode('upgrade')
  expect(done).toMatchObject({ exitCode: 0, stdout: `updated from ${manifest.version} to 99.0.0\n` })
  // A server that was started by hand goes on, and the person hears of that.
  expect(done.stderr).toContain('still runs')
  const versions = filesOf(me.prefix)
    .filter((file) => /lodeline\/(node_modules\/@lodeline\/[^/]+\/)?package\.json$/.test(file))
    .map((file) => JSON.parse(readFileSync(file, 'utf8')).version)
  expect(versions).toEqual(['99.0.0', '99.0.0'])
  server.signal('SIGTERM')
  expect((await server.exited).exitCode).toBe(0)
  expect((await me.lode('version')).exitCode).toBe(0)
}

describe('installed by the script', () => {
  const script = join(release, 'install.sh')
  const install = (me: Machine, ...words: string[]) => run(['/bin/sh', script, '--prefix', me.prefix, ...words], me)

  test('the program works, twice is harmless, and it is one folder and one link', async () => {
    const me = machine('script', 'nobody')
    for (const _ of [1, 2]) expect(await install(me)).toMatchObject({ exitCode: 0, stderr: '' })
    expect((await me.lode('version')).stdout).toStartWith(`lode ${manifest.version} `)
    expect(readdirSync(join(me.prefix, 'share'))).toEqual(['lodeline'])
    expect(readdirSync(join(me.prefix, 'bin'))).toEqual(['lode'])
    expect(readFileSync(join(me.prefix, 'share/lodeline/installed-by'), 'utf8')).toBe(`script\n${release}\n`)
  })
  test('fetches from an address', async () => {
    const me = machine('fetched')
    const done = await install(me, '--from', `${registry.url}-`)
    expect(done).toMatchObject({ exitCode: 0, stderr: '' })
    expect((await me.lode('version')).exitCode).toBe(0)
  })
  test('installs nothing whose sum is wrong', async () => {
    const me = machine('forged')
    const forged = join(folder, 'forged-release')
    cpSync(release, forged, { recursive: true })
    writeFileSync(join(forged, tarball), 'forged')
    const done = await install(me, '--from', forged)
    expect(done).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('SHA-256') })
    expect(filesOf(me.prefix)).toEqual([])
  })
  test('leaves a program that is not its own', async () => {
    const me = machine('foreign')
    mkdirSync(dirname(me.program))
    writeFileSync(me.program, 'mine')
    expect(await install(me)).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('is there already') })
    expect(filesOf(me.prefix)).toEqual([me.program])
  })
  test('refuses what it does not know', async () => {
    const me = machine('words')
    expect(await install(me, '--colour')).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('--colour') })
    const plain = await install(me, '--from', 'http://example.com/x')
    expect(plain).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('only https') })
  })
})

test('lode upgrade brings the newest release by the way that this one came', upgrades, 180_000)
