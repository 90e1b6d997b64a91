/** What setting up hooks has to know of this machine: where the program is. */
import { existsSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import type { Config } from '../config/load'
import { AppError } from '../domain/errors'
import type { HarnessSetup } from '../domain/harness/harness-setup'
import { defaultHarness, harnesses } from '../harness/registry'
import { lodeCommand } from '../util/lode-command'
import { isCompiled } from '../util/thread-url'
import { executableOf } from './agent-run'
import { stablePath } from './install/installation'

const repository = isCompiled ? dirname(dirname(process.execPath)) : resolve(import.meta.dir, '../..')

/** argv of the program as hooks call it: absolute, and the same tomorrow. */
export function hookProgram(): string[] {
  const launcher = join(repository, 'bin/lode')
  return existsSync(launcher) ? [stablePath(realpathSync(launcher))] : lodeCommand()
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

/** The program that the settings name for it. */
export const ownExecutable = (config: Pick<Config, 'agents'>): string | null =>
  executableOf(config, defaultHarness().name)
