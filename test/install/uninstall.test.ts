/** `lode uninstall`: what Lodeline put into other programs' folders goes, and the record only when it is asked for. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { cliPath, OUTER_CLIS } from '../lab/claude'
import { startCommand } from '../lab/running-command'
import { until } from '../lab/until'
import { LODE } from '../lode-command'

const root = resolve(import.meta.dir, '../..')
const SETTINGS = '{\n  "model": "opus",\n  "hooks": { "Stop": [] }\n}\n'

let home: string
let project: string
beforeEach(() => {
  home = realpathSync(mkdtempSync('/tmp/ld-'))
  project = join(home, 'project')
  for (const folder of ['.claude', 'bin', 'project/.git']) mkdirSync(join(home, folder), { recursive: true })
  writeFileSync(settings(), SETTINGS)
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const settings = () => join(home, '.claude/settings.json')
const env = () => ({
  PATH: `${join(home, 'bin')}:/usr/local/bin:/usr/bin:/bin`,
  HOME: home,
  // Source that runs under bun would leave a folder in HOME.
  BUN_RUNTIME_TRANSPILER_CACHE_PATH: '0',
  DISABLE_AUTOUPDATER: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  ANTHROPIC_BASE_URL: 'http://127.0.0.1:1',
})
const run = (words: string[]) => startCommand(words, { env: env(), cwd: project }).exited
const lode = (...words: string[]) => run([...LODE, ...words])
/** Everything below the folder with its content, but our own folder. */
const everything = () =>
  readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('.lodeline'))
    .map((entry) => [join(entry.parentPath, entry.name), readFileSync(join(entry.parentPath, entry.name), 'utf8')])

test('hooks of the user and of projects go, each file is as it was, and the record stays', async () => {
  expect((await lode('setup', 'claude')).exitCode).toBe(0)
  expect((await lode('setup', 'claude', '--local')).exitCode).toBe(0)
  expect((await lode('issue', 'create', 'one')).exitCode).toBe(0)
  const before = everything()
  const would = await lode('uninstall', '--dry-run')
  expect(would.stdout).toContain(`hooks from ${settings()}`)
  expect(everything()).toEqual(before)
  const done = JSON.parse((await lode('uninstall', '--json')).stdout)
  expect(done.hooks.map(({ file, problem }: { file: string; problem: unknown }) => [file, problem])).toEqual([
    [settings(), null],
    [join(project, '.claude/settings.local.json'), null],
  ])
  expect(readFileSync(settings(), 'utf8')).toBe(SETTINGS)
  expect(existsSync(join(project, '.claude/settings.local.json'))).toBe(false)
  expect((await lode('issue', 'list')).stdout).toContain('one')
  expect((await lode('uninstall', '--json')).stdout).toContain('"hooks":[]')
})

test('settings that cannot be changed are named, and the rest is done', async () => {
  expect((await lode('setup', 'claude', '--local')).exitCode).toBe(0)
  writeFileSync(settings(), '{ broken')
  const { hooks } = JSON.parse((await lode('uninstall', '--json')).stdout)
  expect(hooks).toEqual([
    expect.objectContaining({ file: settings(), problem: expect.stringContaining('JSON') }),
    expect.objectContaining({ problem: null }),
  ])
})

test.each(OUTER_CLIS)('the plugin goes out of Claude Code %s', async (version) => {
  const claude = cliPath(version)
  symlinkSync(claude, join(home, 'bin/claude'))
  expect((await run([claude, 'plugin', 'marketplace', 'add', root])).exitCode).toBe(0)
  expect((await run([claude, 'plugin', 'install', 'lodeline@lodeline'])).exitCode).toBe(0)
  const done = await lode('uninstall', '--json')
  expect(JSON.parse(done.stdout).plugins).toEqual([
    { agent: 'claude-code', command: 'claude plugin uninstall lodeline@lodeline', problem: null },
    { agent: 'claude-code', command: 'claude plugin marketplace remove lodeline', problem: null },
  ])
  expect((await run([claude, 'plugin', 'list'])).stdout).not.toContain('lodeline')
  expect((await run([claude, 'plugin', 'marketplace', 'list'])).stdout).not.toContain('lodeline')
})

test('a purge deletes the record, and nothing that Lodeline did not make', async () => {
  const server = startCommand([...LODE, 'up', '--port', '0'], { env: env(), cwd: project })
  await until('the server', () => server.stdout().includes('runs at'))
  const refused = await lode('uninstall', '--purge', '--yes')
  expect(refused).toMatchObject({ exitCode: 4, stderr: expect.stringContaining('A server runs here') })
  server.signal('SIGTERM')
  await server.exited
  expect((await lode('setup', 'claude')).exitCode).toBe(0)
  const folder = join(home, '.lodeline')
  writeFileSync(join(folder, 'thesis.txt'), 'mine')

  const unasked = await lode('uninstall', '--purge')
  expect([unasked.exitCode, unasked.stderr]).toEqual([expect.any(Number), expect.stringContaining('--purge --yes')])
  expect(unasked.exitCode).not.toBe(0)
  expect(existsSync(join(folder, 'lodeline.db'))).toBe(true)

  const done = await lode('uninstall', '--purge', '--yes')
  expect(done).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('thesis.txt') })
  expect(readdirSync(folder)).toEqual(['thesis.txt'])
  expect(readFileSync(settings(), 'utf8')).toBe(SETTINGS)
})

test('a purge leaves no folder behind', async () => {
  const server = startCommand([...LODE, 'up', '--port', '0'], { env: env(), cwd: project })
  await until('the server', () => server.stdout().includes('runs at'))
  server.signal('SIGTERM')
  await server.exited
  expect((await lode('uninstall', '--purge', '--yes')).exitCode).toBe(0)
  expect(readdirSync(home).sort()).toEqual(['.claude', 'bin', 'project'])
})

test('a folder that is not of Lodeline is not purged', async () => {
  writeFileSync(join(project, 'thesis.txt'), 'mine')
  const { exitCode, stderr } = await lode('uninstall', '--purge', '--yes', '--home', project)
  expect(exitCode).toBeGreaterThan(0)
  expect(stderr).toContain('is no folder of Lodeline')
  expect(existsSync(join(project, 'thesis.txt'))).toBe(true)
})
