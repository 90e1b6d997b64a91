/** Takes out of the machine what Lodeline put outside of its folder: hooks, the plugin and the service; and the folder, if asked to. */
import { existsSync, lstatSync, readdirSync, rmdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Config } from '../../config/load'
import { AppError, toAppError } from '../../domain/errors'
import type { AgentName } from '../../domain/ids'
import { defaultHarness, harnesses } from '../../harness/registry'
import { shellLine } from '../../util/shell-words'
import { executableOf } from '../agents/agent-run'
import { HOME_NAMES_KEPT, HOME_NAMES_LEFT } from '../backup/home-files'
import { isModAt, modFolder, removeMod } from '../mod/install-mod'
import { removeService, type ServiceChange, type ServiceHost } from '../service/service'
import type { Served } from '../service/service-plan'
import { TASK_FILES } from '../service/windows-task'
import { type Installation, ownInstallation } from './installation'
import { removeCommand } from './ways'

export interface UninstallOptions {
  config: Pick<Config, 'home' | 'agents'>
  host: ServiceHost
  cwd: string
  /** Removes the record too. */
  isPurging: boolean
  isDryRun: boolean
}

export interface Uninstalled {
  isDryRun: boolean
  hooks: HooksRemoved[]
  plugins: PluginRemoved[]
  /** `null` = this system has no services. */
  service: Pick<ServiceChange, 'file' | 'isChanged' | 'commands'> | null
  data: DataRemoved
  /** How the program came here, and the command that removes it; `null` = there is none. */
  way: Installation['way']
  removeCommand: string | null
}

export interface HooksRemoved {
  agent: AgentName
  /** The settings file. */
  file: string
  /** Hooks that were taken out. */
  count: number
  /** Why the file stayed as it is. */
  problem: string | null
}

export interface PluginRemoved {
  agent: AgentName
  command: string
  problem: string | null
}

export interface DataRemoved {
  home: string
  isPurged: boolean
  /** Names in the folder that stay. */
  left: string[]
}

/** Names of our folder that no backup knows. */
const MORE_NAMES = ['lodeline.db-wal', 'lodeline.db-shm', 'setup', ...Object.values(TASK_FILES), 'demo']

/**
 * Nothing stops at a part that fails: the others are still done, and each says what became of it.
 *
 * @throws `invalid` the folder to purge is none of Lodeline's; nothing was done then
 */
export async function uninstall({ config, host, cwd, isPurging, isDryRun }: UninstallOptions): Promise<Uninstalled> {
  const { home } = config
  if (isPurging) requireOwnFolder(home)
  const hooks: HooksRemoved[] = []
  const plugins: PluginRemoved[] = []
  for (const harness of harnesses()) {
    const setup = await harness.setup?.()
    if (setup === undefined) continue
    const files = new Set([setup.userFile(host.env, cwd), ...setup.filesSetUp(home)])
    const cli = { executable: executableOf(config, harness.name), env: host.env, cwd }
    for (const file of files) {
      const row = { agent: harness.name, file }
      try {
        const { isChanged, removed } = await setup.takeDown({ home, path: file, isDryRun, cli })
        if (isChanged) hooks.push({ ...row, count: removed.length, problem: null })
      } catch (thrown) {
        hooks.push({ ...row, count: 0, problem: toAppError(thrown).message })
      }
    }
    for (const words of setup.pluginRemoval(host.env, cwd)) {
      const executable = executableOf(config, harness.name) ?? harness.program
      const ended = isDryRun ? null : host.run([executable, ...words])
      const problem = ended === null || ended.exitCode === 0 ? null : (ended.stderr || ended.stdout).trim()
      plugins.push({ agent: harness.name, command: shellLine([executable, ...words]), problem })
    }
  }
  const mod = modFolder(host.env, cwd)
  if (isModAt(mod)) {
    if (!isDryRun) removeMod(mod)
    plugins.push({ agent: defaultHarness().name, command: shellLine(['rm', '-r', mod]), problem: null })
  }
  serviceOf(home, host, isDryRun, { kind: 'worker', words: [] })
  // Before its server, which takes how the runs ended.
  serviceOf(home, host, isDryRun, { kind: 'runs' })
  const service = serviceOf(home, host, isDryRun)
  const data = isPurging ? purge(home, isDryRun) : { home, isPurged: false, left: namesIn(home) }
  const installation = ownInstallation()
  return { isDryRun, hooks, plugins, service, data, way: installation.way, removeCommand: removeCommand(installation) }
}

function serviceOf(home: string, host: ServiceHost, isDryRun: boolean, served?: Served): Uninstalled['service'] {
  try {
    const { file, isChanged, commands } = removeService(home, host, isDryRun, served)
    return { file, isChanged, commands }
  } catch (thrown) {
    if (toAppError(thrown).code === 'unavailable') return null
    throw thrown
  }
}

/** A folder that a setting names by mistake must not lose anything. */
function requireOwnFolder(home: string): void {
  const stat = lstatSync(home, { throwIfNoEntry: false })
  if (stat === undefined) return
  const isOurs = stat.isDirectory() && existsSync(join(home, 'host-id'))
  if (isOurs || (stat.isDirectory() && namesIn(home).length === 0)) return
  throw new AppError('invalid', `${home} is no folder of Lodeline: it has no file host-id. Nothing was removed.`, {
    hint: 'Name the folder with --home, or remove it yourself.',
  })
}

/** Removes what Lodeline makes there, and the folder if nothing else is in it. */
function purge(home: string, isDryRun: boolean): DataRemoved {
  const ours = new Set([...HOME_NAMES_KEPT, ...HOME_NAMES_LEFT, ...MORE_NAMES])
  const names = namesIn(home)
  const left = names.filter((name) => !ours.has(name))
  if (!isDryRun) {
    // The mark of the folder goes last: a purge that was interrupted can be repeated.
    const going = names
      .filter((name) => ours.has(name))
      .sort((a, b) => Number(a === 'host-id') - Number(b === 'host-id'))
    for (const name of going) rmSync(join(home, name), { recursive: true, force: true })
    if (left.length === 0) rmdirIfThere(home)
  }
  return { home, isPurged: true, left }
}

function rmdirIfThere(folder: string): void {
  try {
    rmdirSync(resolve(folder))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch {
    return []
  }
}
