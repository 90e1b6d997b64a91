/** The service that starts Lodeline at each login: installed, looked at and removed. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, resolve } from 'node:path'
import { AppError } from '../../domain/errors'
import { harnesses } from '../../harness/registry'
import { sha256Hex } from '../../util/crypto'
import { shellLine } from '../../util/shell-words'
import { homeOption, hookProgram } from '../agent-setup'
import { launchdPlan } from './launchd'
import type { Command, Served, ServiceManager, ServicePlan, ServiceSpec } from './service-plan'
import { systemdPlan } from './systemd'
import { windowsPlan } from './windows-task'

type Environment = Readonly<Record<string, string | undefined>>

/** What is asked of the system. */
export interface ServiceHost {
  platform: NodeJS.Platform
  env: Environment
  uid: number
  /** Runs a program of the system to its end. Where there is none of that name, `exitCode` is 127. */
  run(command: Command): { exitCode: number; stdout: string; stderr: string }
}

export interface ServiceState {
  manager: ServiceManager
  file: string
  isInstalled: boolean
  /** The definition is what `install` would write now. */
  isCurrent: boolean
  /** `null` = it does not run, or the system does not say. */
  pid: number | null
  /** This user can have services here. */
  isAvailable: boolean
}

export interface ServiceChange {
  manager: ServiceManager
  file: string
  /** The definition. */
  text: string
  isChanged: boolean
  isDryRun: boolean
  /** The calls of the system that were made, or would be. */
  commands: string[]
}

/** @param timeoutMs  for each program */
export const ownHost = (env: Environment, timeoutMs = CALL_MS): ServiceHost => ({
  platform: process.platform,
  env,
  uid: process.getuid?.() ?? 0,
  run(command) {
    if (Bun.which(command[0]) === null) return { exitCode: 127, stdout: '', stderr: `${command[0]} is not installed.` }
    const { exitCode, stdout, stderr } = Bun.spawnSync([...command], { stdin: 'ignore', timeout: timeoutMs })
    return { exitCode: exitCode ?? 1, stdout: stdout.toString(), stderr: stderr.toString() }
  },
})

/** The server ends its runs within 60 s. */
const CALL_MS = 90_000

const SERVER: Served = { kind: 'server' }

const commandOf = (home: string, env: Environment, served: Served): string[] => [
  ...hookProgram(),
  ...homeOption(home, env),
  ...(served.kind === 'server' ? ['up'] : ['work', ...served.words]),
]

/** Of the service for this folder. @throws `unavailable` the system has no services that are known here */
export function servicePlan(home: string, host: ServiceHost, served: Served = SERVER): ServicePlan {
  const userHome = host.env.HOME || homedir()
  const kind = served.kind === 'server' ? 'lodeline' : 'lodeline-worker'
  const isUsual = homeOption(home, host.env).length === 0
  const spec: ServiceSpec = {
    home,
    name: isUsual ? kind : `${kind}-${sha256Hex(home).slice(0, 8)}`,
    command: commandOf(home, host.env, served),
    env: environment(host.env),
    userHome,
    uid: host.uid,
  }
  if (host.platform === 'linux') return systemdPlan(spec, host.env.XDG_CONFIG_HOME)
  if (host.platform === 'darwin') return launchdPlan(spec)
  if (host.platform === 'win32') return windowsPlan(spec)
  throw new AppError('unavailable', `Services of ${host.platform} are not known.`, { hint: byHand(spec.command) })
}

/** The search path, where agent CLIs lie, and the folders that the environment names for them. */
function environment(env: Environment): Record<string, string> {
  const roots = harnesses().map(({ root }) => root(env))
  const named = Object.entries(env).filter(
    ([name, value]) => /^[A-Z_]+_(DIR|HOME)$/.test(name) && value !== undefined && roots.includes(resolve(value)),
  )
  return {
    // As bin/lode says for what records.
    BUN_JSC_useFTLJIT: '0',
    PATH: env.PATH || '/usr/local/bin:/usr/bin:/bin',
    ...(Object.fromEntries(named) as Record<string, string>),
  }
}

/** @throws `unavailable` this user can have no services here; nothing was written then */
export function installService(
  home: string,
  host: ServiceHost,
  isDryRun: boolean,
  served: Served = SERVER,
): ServiceChange {
  const plan = servicePlan(home, host, served)
  const isChanged = readDefinition(plan) !== plan.text
  const commands = isChanged ? [...plan.load, ...plan.start] : plan.start
  if (!isDryRun) {
    requireManager(plan, host, commandOf(home, host.env, served))
    if (isChanged) {
      mkdirSync(dirname(plan.file), { recursive: true, mode: 0o700 })
      writeFileSync(plan.file, plan.text, { encoding: plan.encoding, mode: 0o600 })
      // There may be nothing yet to load again.
      for (const command of plan.load) host.run(command)
    }
    const isLoaded = plan.isStartedOnce && !isChanged && host.run(plan.ask).exitCode === 0
    if (!isLoaded) for (const command of plan.start) demand(host, command)
  }
  return {
    manager: plan.manager,
    file: plan.file,
    text: plan.text,
    isChanged,
    isDryRun,
    commands: commands.map(shellLine),
  }
}

/** Leaves nothing of it. Harmless where there is none. */
export function removeService(
  home: string,
  host: ServiceHost,
  isDryRun: boolean,
  served: Served = SERVER,
): ServiceChange {
  const plan = servicePlan(home, host, served)
  const isChanged = existsSync(plan.file)
  const commands = isChanged ? [...plan.stop, ...plan.forget] : []
  if (!isDryRun && isChanged) {
    // Each may fail where the manager knows no such service any more.
    for (const command of plan.stop) host.run(command)
    rmSync(plan.file, { force: true })
    for (const command of plan.forget) host.run(command)
  }
  return {
    manager: plan.manager,
    file: plan.file,
    text: plan.text,
    isChanged,
    isDryRun,
    commands: commands.map(shellLine),
  }
}

export function serviceState(home: string, host: ServiceHost, served: Served = SERVER): ServiceState {
  const plan = servicePlan(home, host, served)
  const { manager, file } = plan
  const text = readDefinition(plan)
  const isInstalled = text !== null
  const asked = isInstalled ? host.run(plan.ask) : null
  return {
    manager,
    file,
    isInstalled,
    // A worker's definition names its server, which only it knows.
    isCurrent: text === plan.text || (served.kind === 'worker' && isInstalled),
    pid: asked?.exitCode === 0 ? plan.pidOf(asked.stdout) : null,
    isAvailable: host.run(plan.probe).exitCode === 0,
  }
}

/** Ends it in order and starts it with the program that is there now. @throws `unavailable` */
export function restartService(home: string, host: ServiceHost, served: Served = SERVER): void {
  for (const command of servicePlan(home, host, served).restart) demand(host, command)
}

function readDefinition({ file, encoding }: ServicePlan): string | null {
  try {
    return readFileSync(file, encoding)
  } catch {
    return null
  }
}

function requireManager(plan: ServicePlan, host: ServiceHost, command: readonly string[]): void {
  const probed = host.run(plan.probe)
  if (probed.exitCode === 0) return
  throw new AppError('unavailable', `There is no ${plan.manager} for this user here: ${firstLine(probed.stderr)}`, {
    hint: byHand(command),
  })
}

function demand(host: ServiceHost, command: Command): void {
  const { exitCode, stderr } = host.run(command)
  if (exitCode === 0) return
  throw new AppError('unavailable', `${shellLine(command)} failed: ${firstLine(stderr)}`, {
    hint: "'lode service status' and 'lode service logs' say more.",
  })
}

const byHand = (command: readonly string[]): string => `Start it by hand: nohup ${shellLine(command)} >/dev/null 2>&1 &`
const firstLine = (text: string): string => text.trim().split('\n')[0] || 'it gave no reason.'
