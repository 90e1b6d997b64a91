/** What setting up hooks has to know of this machine: where the program is. */
import { existsSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import type { Config } from '../../config/load'
import { AppError, toAppError } from '../../domain/errors'
import type { AgentHarness } from '../../domain/harness/agent-harness'
import type { HarnessSetup, SetupCheck, SetupCli } from '../../domain/harness/harness-setup'
import type { ListedTool } from '../../domain/harness/listed-tool'
import { defaultHarness, harnesses } from '../../harness/registry'
import { lodeCommand, stablePath } from '../../util/lode-command'
import { shellLine } from '../../util/shell-words'
import { isCompiled } from '../../util/thread-url'
import { executableOf } from './agent-run'

const repository = isCompiled ? dirname(dirname(process.execPath)) : resolve(import.meta.dir, '../../..')

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

/** The tools of a person's session. */
export const setupTools = async (): Promise<readonly ListedTool[]> =>
  (await import('../../mcp/server')).listedTools('operator')

/** What sets up the hooks of one agent CLI on this machine. */
export interface AgentSetup {
  harness: AgentHarness
  setup: HarnessSetup
  /** From the settings; `null` = the one on `PATH`. */
  executable: string | null
}

type Settings = Parameters<typeof executableOf>[0]

/** How hooks get into the settings of the CLI of that name. @throws `not_found` it has none, or is not known */
export async function setupOf(program: string, config: Settings): Promise<AgentSetup> {
  const harness = harnesses().find((each) => each.program === program)
  const found = harness === undefined ? null : await partsOf(harness, config)
  if (found === null) throw new AppError('not_found', `Lodeline has no hooks for ${program}.`)
  return found
}

/** The same for the agent CLI that comes first; `null` = it has none. */
export const ownSetup = (config: Settings): Promise<AgentSetup | null> => partsOf(defaultHarness(), config)

/** For every agent CLI that has hooks. */
export async function allSetups(config: Settings): Promise<AgentSetup[]> {
  const found = await Promise.all(harnesses().map((harness) => partsOf(harness, config)))
  return found.filter((each) => each !== null)
}

async function partsOf(harness: AgentHarness, config: Settings): Promise<AgentSetup | null> {
  const setup = await harness.setup?.()
  return setup === undefined ? null : { harness, setup, executable: executableOf(config, harness.name) }
}

/** How it stands with the hooks of one agent CLI. */
export interface HookState {
  /** The CLI, as people call it. */
  agent: string
  /** It has been used by this person: its folder is there. */
  isUsed: boolean
  /** What sets its hooks up. */
  command: string
  /** The settings that were looked at. */
  file: string
  /** `skipped`: they are there, and the CLI runs none that nobody trusts. `off`: these settings turn hooks off. */
  state: 'none' | 'ready' | 'incomplete' | 'skipped' | 'off' | 'unknown'
  /** Why it is not known; `null` = it is. */
  why: string | null
}

/** Asks every agent CLI that has hooks about those in the user's own settings. Never fails. */
export async function hookStates(
  config: Settings & Pick<Config, 'home'>,
  wakes: boolean,
  { env, cwd }: Pick<SetupCli, 'env' | 'cwd'>,
): Promise<HookState[]> {
  const lode = shellLine([...hookProgram(), ...homeOption(config.home, env)])
  return await Promise.all(
    (await allSetups(config)).map(async ({ harness, setup, executable }) => {
      const file = setup.userFile(env, cwd)
      const known = {
        agent: harness.title,
        isUsed: existsSync(harness.root(env)),
        command: `lode setup ${harness.program}`,
        file,
      }
      try {
        const version = setup.cliVersion(executable, env)
        const check = await setup.check({
          path: file,
          lode,
          version,
          wakes,
          cli: { executable, env, cwd },
          tools: setupTools,
        })
        return { ...known, state: stateOf(check), why: null }
      } catch (thrown) {
        return { ...known, state: 'unknown' as const, why: toAppError(thrown).message }
      }
    }),
  )
}

function stateOf({ installed, missing, outdated, untrusted, disablesHooks }: SetupCheck): HookState['state'] {
  if (installed.length + outdated.length === 0) return 'none'
  if (disablesHooks) return 'off'
  if (untrusted.length > 0) return 'skipped'
  return missing.length + outdated.length > 0 ? 'incomplete' : 'ready'
}
