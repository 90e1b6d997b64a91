/** The service that starts Lodeline at each login: installed, looked at and removed. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, resolve } from 'node:path'
import { AppError } from '../../domain/errors'
import { harnesses } from '../../harness/registry'
import { sha256Hex } from '../../util/crypto'
import { shellLine } from '../../util/shell-words'
import { homeOption, hookProgram } from '../agents/agent-setup'
import { launchdPlan } from './launchd'
import type { Command, Served, ServiceManager, ServicePlan, ServiceSpec } from './service-plan'
import { systemdPlan } from './systemd'
import { windowsPlan } from './windows-task'
import { askRestart, forgetRestart, readWorkerState, type WorkerState } from './worker-restart'

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
  /** What its worker says of itself; `null` = it is the server's, or does not run. */
  says: WorkerState | null
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
  ...WORDS[served.kind],
  ...(served.kind === 'worker' ? served.words : []),
]

/** By which a worker knows that a service starts it again; definitions of former programs lack it. */
const AS_SERVICE = '--as-service'

const WORDS: Readonly<Record<Served['kind'], readonly string[]>> = {
  server: ['up', '--no-worker'],
  runs: ['work', AS_SERVICE],
  worker: ['work', AS_SERVICE],
}
const NAMES: Readonly<Record<Served['kind'], string>> = {
  server: 'lodeline',
  runs: 'lodeline-runs',
  worker: 'lodeline-worker',
}

/** The state of the service for this folder. @throws `unavailable` the system has no services that are known here */
export function servicePlan(home: string, host: ServiceHost, served: Served = SERVER): ServicePlan {
  const userHome = host.env.HOME || homedir()
  const { kind } = served
  const isUsual = homeOption(home, host.env).length === 0
  const spec: ServiceSpec = {
    home,
    kind,
    name: isUsual ? NAMES[kind] : `${NAMES[kind]}-${sha256Hex(home).slice(0, 8)}`,
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

/**
 * Where it runs by another definition, it comes to this one as by `restartService`.
 *
 * @throws `unavailable` this user can have no services here; nothing was written then
 */
export function installService(
  home: string,
  host: ServiceHost,
  isDryRun: boolean,
  served: Served = SERVER,
): ServiceChange {
  const plan = servicePlan(home, host, served)
  const before = readDefinition(plan)
  const isChanged = before !== plan.text
  const isRunning = before !== null && isChanged && !plan.isStartedOnce && pidOf(plan, host) !== null
  const isFollowing = isRunning && followsMark(before)
  const commands = [...(isChanged ? plan.load : []), ...plan.start, ...(isRunning && !isFollowing ? plan.restart : [])]
  if (!isDryRun) {
    requireManager(plan, host, commandOf(home, host.env, served))
    if (isChanged) {
      mkdirSync(dirname(plan.file), { recursive: true, mode: 0o700 })
      writeFileSync(plan.file, plan.text, { encoding: plan.encoding, mode: 0o600 })
    }
    const isLoaded = plan.isStartedOnce && !isChanged && host.run(plan.ask).exitCode === 0
    for (const command of commands) {
      // There may be nothing yet to load again.
      if (plan.load.includes(command)) host.run(command)
      else if (!isLoaded) demand(host, command)
    }
    if (isFollowing && served.kind !== 'server') askRestart(home, served.kind)
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
    if (served.kind !== 'server') forgetRestart(home, served.kind)
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
  const pid = isInstalled ? pidOf(plan, host) : null
  const said = served.kind === 'server' ? null : readWorkerState(home, served.kind)
  return {
    manager,
    file,
    isInstalled,
    // The definition of a worker for a server elsewhere names that, which only it knows.
    isCurrent: text === plan.text || (served.kind === 'worker' && text !== null && followsMark(text)),
    pid,
    isAvailable: host.run(plan.probe).exitCode === 0,
    says: said !== null && (said.pid === pid || plan.manager === 'task-scheduler') ? said : null,
  }
}

/** What became of a restart: it has happened, which ended the runs of a worker in order, or a worker restarts once nothing runs. */
export type Restart = 'restarted' | 'when idle'

/**
 * Brings it to the program that is there now. A server restarts at once, which no run of its worker notices. A worker restarts once nothing
 * runs, unless it is to end its runs in order.
 *
 * @throws `not_found`    it is not installed
 * @throws `unavailable`  the system refuses
 */
export function restartService(home: string, host: ServiceHost, served: Served = SERVER, endsRuns = false): Restart {
  const plan = servicePlan(home, host, served)
  const text = readDefinition(plan)
  if (text === null)
    throw new AppError('not_found', 'No such service is installed here.', { hint: "Run 'lode service install' first." })
  const mayWait = served.kind !== 'server' && !endsRuns && followsMark(text)
  // Windows names no process.
  if (mayWait && (plan.manager === 'task-scheduler' || pidOf(plan, host) !== null)) {
    askRestart(home, served.kind)
    return 'when idle'
  }
  for (const command of plan.restart) demand(host, command)
  return 'restarted'
}

const followsMark = (definition: string): boolean => definition.includes(AS_SERVICE)

function pidOf(plan: ServicePlan, host: ServiceHost): number | null {
  const asked = host.run(plan.ask)
  return asked.exitCode === 0 ? plan.pidOf(asked.stdout) : null
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
