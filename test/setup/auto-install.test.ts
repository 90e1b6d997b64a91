/** `hooks.autoInstall`: `lode up` looks after its own hooks, where the setting says so and not otherwise. */
import { afterEach, expect, test } from 'bun:test'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { LODE } from '../lode-command'

const homes: string[] = []
afterEach(() => homes.splice(0).map((home) => rmSync(home, { recursive: true, force: true })))

/** Starts the server and ends it as soon as it answers. @returns what it said on stderr */
async function up(home: string): Promise<string> {
  const child = Bun.spawn([...LODE, 'up', '--port', '0'], {
    cwd: home,
    env: { PATH: `${join(home, 'bin')}:${process.env.PATH ?? ''}`, HOME: home },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const reader = child.stdout.getReader()
  try {
    await reader.read()
  } finally {
    child.kill('SIGTERM')
    await child.exited
  }
  return new Response(child.stderr).text()
}

function newHome(config: string): { home: string; settings: string } {
  const home = realpathSync(mkdtempSync('/tmp/ld-'))
  homes.push(home)
  mkdirSync(join(home, 'bin'))
  writeFileSync(join(home, 'bin', 'claude'), "#!/bin/sh\necho '2.1.197 (Claude Code)'\n")
  chmodSync(join(home, 'bin', 'claude'), 0o755)
  mkdirSync(join(home, '.lodeline'), { mode: 0o700 })
  writeFileSync(join(home, '.lodeline', 'config.yaml'), `worker.enabled: false\n${config}`)
  return { home, settings: join(home, '.claude', 'settings.json') }
}

test('lode up puts its hooks in where it is told to, once, and says so', async () => {
  const { home, settings } = newHome('hooks.autoInstall: true\n')
  expect(await up(home)).toContain('hooks.autoInstall: added')
  const text = readFileSync(settings, 'utf8')
  expect(text).toContain('hook --answer')
  expect(await up(home)).not.toContain('hooks.autoInstall')
  expect(readFileSync(settings, 'utf8')).toBe(text)
})

test('it leaves settings that it can not read as they are, and starts all the same', async () => {
  const { home, settings } = newHome('hooks.autoInstall: true\n')
  mkdirSync(join(home, '.claude'))
  writeFileSync(settings, '{ "hooks": ')
  expect(await up(home)).toContain('No hook was changed')
  expect(readFileSync(settings, 'utf8')).toBe('{ "hooks": ')
})

test('without the setting no settings are touched', async () => {
  const { home, settings } = newHome('')
  await up(home)
  expect(existsSync(settings)).toBe(false)
})
