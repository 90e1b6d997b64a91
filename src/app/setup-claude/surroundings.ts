/** What `lode setup claude` has to know of this machine: where the program is, which CLI there is, what a hook costs here. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { lodeCommand } from '../../util/lode-command'
import { isCompiled } from '../../util/thread-url'
import type { HookRow } from './hook-rows'

const repository = isCompiled ? dirname(dirname(process.execPath)) : resolve(import.meta.dir, '../../..')

/** argv of the program as hooks call it: absolute, and the same tomorrow. */
export function hookProgram(): string[] {
  const launcher = join(repository, 'bin/lode')
  return existsSync(launcher) ? [realpathSync(launcher)] : lodeCommand()
}

/** The plugin's folder; `null` = it is not beside this program. */
export function pluginFolder(): string | null {
  const folder = join(repository, 'plugin')
  return existsSync(join(folder, '.claude-plugin/plugin.json')) ? folder : null
}

/** Hooks look for the record where every command does; a folder of its own has to be named to them. */
export function homeOption(home: string, env: Readonly<Record<string, string | undefined>>): string[] {
  return home === resolve(env.HOME || homedir(), '.lodeline') ? [] : ['--home', home]
}

/** The release of the agent's CLI; `null` = there is none, or it does not say. */
export function cliVersion(
  executable: string | null,
  env: Readonly<Record<string, string | undefined>>,
): string | null {
  const program = executable ?? Bun.which('claude', { PATH: env.PATH ?? '' })
  if (program === null) return null
  const run = spawnSync(program, ['--version'], {
    encoding: 'utf8',
    timeout: 10_000,
    maxBuffer: 65_536,
    env: { ...env, DISABLE_AUTOUPDATER: '1' },
  })
  return run.status === 0 ? (/^(\d+\.\d+\.\d+)/.exec(run.stdout.trim())?.[1] ?? null) : null
}

const RUNS = 9

/** Milliseconds of a whole hook process here: the median of a few runs against a folder that is then removed. By command. */
export function measureHooks(rows: readonly HookRow[]): Map<string, number> {
  const home = mkdtempSync(join(tmpdir(), 'lode-'))
  try {
    const costs = new Map<string, number>()
    const program = hookProgram()
    for (const command of new Set(rows.map((row) => row.command))) {
      const args = [...program.slice(1), 'hook', ...(command.endsWith('--answer') ? ['--answer'] : []), '--home', home]
      const times = Array.from({ length: RUNS }, () => timeOf(program[0] ?? '', args))
      costs.set(command, times.sort((a, b) => a - b)[RUNS >> 1] ?? 0)
    }
    return costs
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

function timeOf(program: string, args: string[]): number {
  const input = JSON.stringify({ session_id: crypto.randomUUID(), hook_event_name: 'SessionStart', source: 'startup' })
  const startedAt = performance.now()
  spawnSync(program, args, { input, env: { PATH: process.env.PATH ?? '' }, timeout: 10_000 })
  return performance.now() - startedAt
}
