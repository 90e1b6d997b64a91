/** `lode` without a command, at a terminal: what it finds, what it asks, and what comes of the answers. */
import { afterAll, expect, test } from 'bun:test'
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { foundAgents } from '../../src/app/first/found-agents'
import { namedFolders } from '../../src/app/first/named-folders'
import { readConfig } from '../../src/config/load'
import { freePort } from '../lab/free-port'
import { startTerminal, type Terminal } from '../lab/running-command'
import { until } from '../lab/until'
import { LODE } from '../lode-command'

const STORIES = join(import.meta.dir, '../fixtures/claude-code/lineage-stories')
const root = mkdtempSync(join(tmpdir(), 'lode-first-'))
const terminals: Terminal[] = []
afterAll(async () => {
  for (const { pid } of terminals)
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended.
    }
  await Promise.all(terminals.map(({ exited }) => exited))
  rmSync(root, { recursive: true, force: true })
})

/** A person's home with conversations of two accounts, of which a shell's start-up file names one. */
function machine(name: string) {
  const home = join(root, name)
  for (const [folder, story] of [
    ['.claude', 'killed'],
    ['.claude-work', 'failing'],
  ] as const)
    cpSync(join(STORIES, story, '2.1.328/projects'), join(home, folder, 'projects'), { recursive: true })
  mkdirSync(join(home, 'bin'))
  appendFileSync(
    join(home, '.zshrc'),
    `# CLAUDE_CONFIG_DIR=~/none\nalias work='CLAUDE_CONFIG_DIR=~/.claude-work claude'\n`,
  )
  // No program of the system is found: neither a desktop nor a manager of services.
  const env = { HOME: home, PATH: join(home, 'bin') }
  return { home, env }
}

function atTerminal({ home, env }: { home: string; env: Record<string, string> }, ...words: string[]) {
  const terminal = startTerminal([...LODE, ...words], { cwd: home, env }, 80, 24)
  terminals.push(terminal)
  const shown = (text: string) => until(text, () => terminal.text().includes(text.replaceAll(' ', '')))
  return { ...terminal, shown }
}

test('a first call shows what is here, asks once, records it, and shows the status from then on', async () => {
  const here = machine('begin')
  const port = freePort()
  const settings = join(here.home, '.lodeline/config.yaml')
  mkdirSync(join(here.home, '.lodeline'))
  appendFileSync(settings, `listen.port: ${port}\n`)

  // A desktop whose browser notes what it is to show. Without one nobody is asked for it.
  const browser = join(here.home, 'bin/xdg-open')
  writeFileSync(browser, `#!/bin/sh\necho "$1" >${join(here.home, 'shown')}\n`, { mode: 0o755 })
  const first = atTerminal({ ...here, env: { ...here.env, DISPLAY: ':0' } })
  await first.shown('Record these, old and new?')
  expect(first.raw()).toMatch(/^Claude Code {2}~\/\.claude +1 /m)
  for (const line of Bun.stripANSI(first.raw()).split(/\r?\n/)) expect(line.length).toBeLessThanOrEqual(80)
  first.type('perhaps\r')
  await first.shown('Type y or n')
  first.type('\r')
  await first.shown('Record ~/.claude-work too?')
  first.type('y\r')
  await first.shown('Add hooks to Claude Code?')
  first.type('y\r')
  await first.shown('Open the dashboard in your browser?')
  first.type('\r')
  await first.shown(`Lodeline runs at http://127.0.0.1:${port}`)
  await first.shown('runs no tasks until an agent CLI is installed here')
  await first.shown("'lode session list' lists the sessions")
  expect(readFileSync(join(here.home, '.claude/settings.json'), 'utf8')).toContain('hook --answer')
  expect(readFileSync(settings, 'utf8')).toContain(join(here.home, '.claude-work'))
  await until('the dashboard in the browser', () => existsSync(join(here.home, 'shown')))

  const second = atTerminal(here)
  expect(await second.exited).toBe(0)
  expect(second.text()).toContain(`http://127.0.0.1:${port},version`)
  expect(second.text().match(/5e55101/g)).toHaveLength(2)
  first.type('\u0003')
  expect(await first.exited).toBe(0)
})

test.each([
  ['Ctrl-C', '\u0003', 130],
  ['Ctrl-D', '\u0004', 0],
])('%s at a question changes nothing', async (name, key, code) => {
  const here = machine(name)
  const before = readFileSync(join(here.home, '.zshrc'), 'utf8')
  const lode = atTerminal(here)
  await lode.shown('Record these, old and new?')
  lode.type('\r')
  await lode.shown('Record ~/.claude-work too?')
  lode.type(key)
  expect(await lode.exited).toBe(code)
  expect(lode.text()).toContain('Nothingwaschanged.')
  expect(existsSync(join(here.home, '.lodeline'))).toBe(false)
  expect(existsSync(join(here.home, '.claude/settings.json'))).toBe(false)
  expect(readFileSync(join(here.home, '.zshrc'), 'utf8')).toBe(before)
})

test('a look counts files by their places, ends in time, and takes folders from start-up files that are there', async () => {
  const { home, env } = machine('looks')
  const { config } = readConfig({ env, cwd: home })
  const [found, ...others] = await foundAgents(config)
  expect(others).toEqual([])
  expect(found).toMatchObject({ title: 'Claude Code', program: 'claude', hasHooks: true, sessions: 1, isWhole: true })
  expect(found?.bytes).toBeGreaterThan(10_000)
  // Time is up before the first file: what is there is shown as a part.
  expect(await foundAgents(config, -1)).toMatchObject([{ sessions: 0, isWhole: false }])
  expect(namedFolders(config, env)).toEqual([
    { agent: 'claude-code', title: 'Claude Code', folder: join(home, '.claude-work'), file: join(home, '.zshrc') },
  ])
})
