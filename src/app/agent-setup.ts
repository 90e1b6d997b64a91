/** What setting up hooks has to know of this machine: where the program is, and what a hook costs here. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { AppError } from '../domain/errors'
import type { HarnessSetup, HookRow } from '../domain/harness/harness-setup'
import { defaultHarness, harnesses } from '../harness/registry'
import { lodeCommand } from '../util/lode-command'
import { isCompiled } from '../util/thread-url'

const repository = isCompiled ? dirname(dirname(process.execPath)) : resolve(import.meta.dir, '../..')

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

/** How hooks get into the settings of the CLI of that name. @throws `not_found` it has none, or is not known */
export async function setupOf(program: string): Promise<HarnessSetup> {
  const setup = harnesses().find((harness) => harness.program === program)?.setup ?? null
  if (setup === null) throw new AppError('not_found', `Lodeline has no hooks for ${program}.`)
  return await setup()
}

/** The same for the agent CLI that comes first; `null` = it has none. */
export const ownSetup = async (): Promise<HarnessSetup | null> => (await defaultHarness().setup?.()) ?? null

const RUNS = 9

/** Milliseconds of a whole hook process here: the median of a few runs against a folder that is then removed. By command. */
export function measureHooks(setup: HarnessSetup, rows: readonly HookRow[]): Map<string, number> {
  const home = mkdtempSync(join(tmpdir(), 'lode-'))
  try {
    const costs = new Map<string, number>()
    const program = hookProgram()
    for (const command of new Set(rows.map((row) => row.command))) {
      const args = [...program.slice(1), 'hook', ...(command.endsWith('--answer') ? ['--answer'] : []), '--home', home]
      const times = Array.from({ length: RUNS }, () => timeOf(program[0] ?? '', args, setup.samplePayload()))
      costs.set(command, times.sort((a, b) => a - b)[RUNS >> 1] ?? 0)
    }
    return costs
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

function timeOf(program: string, args: string[], payload: unknown): number {
  const input = JSON.stringify(payload)
  const startedAt = performance.now()
  spawnSync(program, args, { input, env: { PATH: process.env.PATH ?? '' }, timeout: 10_000 })
  return performance.now() - startedAt
}
