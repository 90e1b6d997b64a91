import { cpSync, mkdirSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { localRegistry } from '../../test/install/local-registry'
import { startCommand, startTerminal } from '../../test/lab/running-command'
import type { Bench, Figure } from '../common/figure'
import { spread } from '../common/measure'

const TURNS = 7
const SESSIONS = 100
const SCREEN_MS = 1_000
const SESSION_MS = 2_000
const root = resolve(import.meta.dir, '../..')
const FIXTURE = join(
  root,
  'test/fixtures/claude-code/transcripts/2.1.328/forked/2ae79ea6-eb8c-4ec9-b6f3-ca64fa01e41b.jsonl',
)

/** From `npx lodeline`, whose packages were fetched before, in an empty home with conversations. */
export const npxFigure: Figure = {
  name: 'npx',
  target: `npx shows the first screen within ${SCREEN_MS} ms, and has a session in the record within ${SESSION_MS} ms`,
  async measure(bench) {
    const release = join(bench.folder, 'release')
    bench.note('making a release for this machine')
    await ended(
      [process.execPath, join(root, 'scripts/release/release.ts'), '--target', 'host', '--quick', '--out', release],
      bench.folder,
      {
        PATH: process.env.PATH ?? '',
        HOME: process.env.HOME ?? '',
      },
    )
    const registry = await localRegistry(release)
    try {
      const env = environment(bench, registry.url)
      await ended(['npx', '--yes', 'lodeline', 'version'], bench.folder, env)
      const screens: number[] = []
      const sessions: number[] = []
      // What npm itself takes, as it is.
      const bare: number[] = []
      for (let turn = 0; turn < TURNS; turn++) {
        const home = machine(bench.folder, turn)
        bare.push(await untilVersion(home, { ...env, HOME: home }))
        screens.push(await untilScreen(home, { ...env, HOME: home }))
        sessions.push(await untilSession(home, { ...env, HOME: home }))
      }
      const values = { screen: spread(screens), session: spread(sessions) }
      const ok = values.screen.p50Ms < SCREEN_MS && values.session.p50Ms < SESSION_MS
      return { ok, values, limit: { npxVersion: spread(bare) } }
    } finally {
      await registry.stop()
    }
  },
}

function environment({ folder }: Bench, registry: string): Record<string, string> {
  const home = join(folder, 'npm')
  mkdirSync(home)
  return {
    PATH: `${dirname(realpathSync(Bun.which('node') ?? ''))}:/usr/local/bin:/usr/bin:/bin`,
    HOME: home,
    npm_config_registry: registry,
    npm_config_cache: join(home, 'cache'),
    npm_config_userconfig: join(home, 'npmrc'),
    npm_config_update_notifier: 'false',
  }
}

/** An empty home with conversations. */
function machine(folder: string, turn: number): string {
  const home = join(folder, `home${turn}`)
  const project = join(home, '.claude/projects/-home-me-app')
  mkdirSync(project, { recursive: true })
  for (let n = 0; n < SESSIONS; n++) cpSync(FIXTURE, join(project, `${crypto.randomUUID()}.jsonl`))
  return home
}

/** Until the first screen has asked its question, in milliseconds. */
async function untilScreen(home: string, env: Record<string, string>): Promise<number> {
  const startedAt = performance.now()
  const terminal = startTerminal(['npx', '--yes', 'lodeline'], { cwd: home, env }, 80, 24)
  while (!terminal.text().includes('Recordthese')) await Bun.sleep(2)
  const took = performance.now() - startedAt
  terminal.type('\u0003')
  await terminal.exited
  return took
}

/** Until a server that was started now has a session, in milliseconds. */
async function untilSession(home: string, env: Record<string, string>): Promise<number> {
  const startedAt = performance.now()
  const server = startCommand(['npx', '--yes', 'lodeline', 'up', '--port', '0'], { cwd: home, env })
  while (!(await hasSession(join(home, '.lodeline')))) await Bun.sleep(5)
  const took = performance.now() - startedAt
  const { pid } = JSON.parse(readFileSync(join(home, '.lodeline/server.json'), 'utf8')) as { pid: number }
  process.kill(pid, 'SIGTERM')
  await server.exited
  return took
}

async function hasSession(folder: string): Promise<boolean> {
  try {
    const { url } = JSON.parse(readFileSync(join(folder, 'server.json'), 'utf8')) as { url: string }
    const authorization = `Bearer ${readFileSync(join(folder, 'token'), 'utf8').trim()}`
    const answer = await fetch(`${url}/api/sessions?limit=1`, { headers: { authorization } })
    return ((await answer.json()) as { sessions: unknown[] }).sessions.length > 0
  } catch {
    return false
  }
}

/** What npm takes by itself, at a terminal too. */
async function untilVersion(home: string, env: Record<string, string>): Promise<number> {
  const startedAt = performance.now()
  const terminal = startTerminal(['npx', '--yes', 'lodeline', 'version'], { cwd: home, env }, 80, 24)
  while (!terminal.text().includes('lode0.')) await Bun.sleep(2)
  const took = performance.now() - startedAt
  await terminal.exited
  return took
}

async function ended(words: string[], cwd: string, env: Record<string, string>): Promise<void> {
  const { exitCode, stderr } = await startCommand(words, { cwd, env }).exited
  if (exitCode !== 0) throw new Error(`${words.join(' ')} ended with ${exitCode}: ${stderr}`)
}
