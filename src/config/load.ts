import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { AppError } from '../domain/errors'
import type { AgentName } from '../domain/ids'
import type { WakeMode } from '../domain/message/route-choice'
import type { SecretSettings } from '../domain/secrets/mask'
import type { IssueLinkSource } from '../domain/session/session-issue'
import type { LeadAnswers } from '../domain/task/lead-answers'
import type { PermissionMode } from '../domain/task/permission-mode'
import type { SpawnLimits } from '../domain/task/task'
import { DEFAULT_LEASE_MS, FLEET_LEASE_MS } from '../domain/task/worker-protocol'
import { hasRepository } from '../util/git/git-project'
import { configText, readConfigFile } from './file/config-file'
import type { Place } from './key-spec'
import { CONFIG_KEYS, type ConfigKey, isConfigKey, type LogLevel, type Settings, specOf } from './keys'
import { type AgentConfig, assembleAgents } from './keys/agent-keys'
import type { IssueFileWrite } from './keys/issue-keys'
import type { LaunchGuard } from './keys/recovery-keys'
import type { TodoReplace } from './keys/todo-keys'
import type { KeepWorktrees, SandboxMode } from './keys/worker-keys'
import { homeOf } from './parse-values'

/** The settings as the program uses them; frozen. */
export interface Config {
  /** Absolute path of Lodeline's folder: database, token, logs, hook journal. */
  readonly home: string
  /** PostgreSQL; `null` = the embedded database under `home`. May hold a password: never logged or shown. */
  readonly databaseUrl: string | null
  /** The database itself, where `databaseUrl` leads to a pooler of transactions; `null` = it does not. May hold a password, too. */
  readonly databaseDirectUrl: string | null
  /** Object storage, `s3://…`; `null` = files of Lodeline's folder, or with PostgreSQL none. May hold a secret. */
  readonly blobs: string | null
  /** `port` 0 = any free one. */
  readonly listen: { readonly host: string; readonly port: number }
  /** By the names of agent CLIs. */
  readonly agents: Readonly<Record<string, AgentConfig>>
  readonly collector: { readonly enabled: boolean; readonly rescanSeconds: number }
  readonly log: { readonly level: LogLevel }
  /** `days` after its last event a session is forgotten; `null` = never. */
  readonly retention: {
    readonly days: number | null
    readonly feedDays: number | null
    readonly taskDays: number | null
  }
  /** Milliseconds of silence in the middle of a turn after which a session counts as stuck. */
  readonly stuckAfterMs: number
  readonly worker: WorkerConfig
  /** `always`: every command leaves the git-tracked file of issues in step. `sync`: only `issue sync` writes it. */
  readonly issueFile: { readonly write: IssueFileWrite }
  /** `bd`: folders of projects, absolute, whose issues may be read and changed by running bd. */
  readonly issues: { readonly bd: readonly string[] }
  readonly todos: TodoConfig
  /** `autoInstall`: `lode up` puts its hooks into the user's settings of Claude Code. */
  readonly hooks: { readonly autoInstall: boolean }
  readonly guard: { readonly launches: LaunchGuard }
  /** `wake`: how an idle conversation is woken. */
  readonly messages: { readonly wake: WakeMode }
  /** What of conversations is masked as a secret. */
  readonly search: { readonly toolOutput: boolean }
  readonly secrets: SecretSettings
  /** `answers`: which questions of runs in its own tree a lead may answer. */
  readonly lead: { readonly answers: LeadAnswers }
  /** `callbackNetworks`: private networks that callbacks of sources may lead to, as `networkOf` gives them. */
  readonly inbox: { readonly callbackNetworks: readonly string[] }
  readonly notify: { readonly networks: readonly string[]; readonly commands: boolean }
  readonly login: LoginConfig
  readonly server: ServerConfig
  /** How far runs may spawn tasks; `leaseMs`: how long a task stays with a worker that is not heard of. */
  readonly tasks: Readonly<SpawnLimits> & { readonly leaseMs: number }
  /** `retentionDays`: how long daily files are kept; `null` = for ever. */
  readonly manifest: { readonly enabled: boolean; readonly retentionDays: number | null }
}

/** How people log in beside links. */
export interface LoginConfig {
  /** The OpenID provider; `null` = none. */
  readonly oidc: { readonly issuer: string; readonly clientId: string; readonly secretFile: string | null } | null
}

/** How the server is reached beyond the addresses that it listens on. */
export interface ServerConfig {
  /** An origin; `null` = none. */
  readonly publicUrl: string | null
  /** In lower case, each with or without a port. */
  readonly allowedHosts: readonly string[]
  /** As `networkOf` gives them. */
  readonly trustedProxies: readonly string[]
  /** How long an ending server goes on, so that balancers may see it. */
  readonly drainMs: number
}

/** What is kept, shown and done of agents' own to-dos. */
export interface TodoConfig {
  /** Whether agents hear of to-dos and `lode todo` answers; the record has them in either case. */
  readonly enabled: boolean
  /** Items that are kept of one session: the first ones. */
  readonly maxPerSession: number
  /** Milliseconds within which a follower shows changes of one list as one. */
  readonly debounceMs: number
  /** Days after a session's last event when its to-dos are removed; `null` = never. */
  readonly retentionDays: number | null
  /** Whether the git-tracked file of issues holds to-dos too. */
  readonly exportToJsonl: boolean
  readonly onReplace: TodoReplace
  /** What links sessions to issues; empty = nothing. */
  readonly linkFrom: readonly IssueLinkSource[]
  /** Whether a completed to-do closes the issue that was made of it. */
  readonly closePromoted: boolean
}

/** How tasks are run on this machine. Folders are absolute. */
export interface WorkerConfig {
  /** Whether `lode up` includes a worker. */
  readonly enabled: boolean
  /** `null` = the host name. */
  readonly name: string | null
  /** Attempts at once. */
  readonly concurrency: number
  readonly capabilities: readonly string[]
  readonly account: string | null
  /** Begins what names no agent CLI and continues nothing; `null` = the first that is installed. */
  readonly agent: AgentName | null
  /** A task may go on in the next agent CLI of its list when one is at its usage limit. */
  readonly fallback: boolean
  /** The CLI's `--setting-sources`, e.g. `user,project`. */
  readonly settingSources: string
  /** Where a task runs for which nothing else names a folder; `null` = it is refused. */
  readonly dir: string | null
  /** Where tasks may run, with all that is below; empty = anywhere. */
  readonly dirs: readonly string[]
  /** Where worktrees are made. */
  readonly worktreeFolder: string
  /** Where repositories are fetched to. */
  readonly mirrorFolder: string
  /** The server keeps the state of worktrees after each turn. */
  /** Runs tell words as they are written, where the CLI does it only when asked. */
  readonly liveWords: boolean
  readonly workCopies: boolean
  readonly keepWorktrees: KeepWorktrees
  /** Milliseconds that shells in the background get after the work. */
  readonly backgroundGraceMs: number
  /** Milliseconds that a question waits. */
  readonly questionMs: number
  readonly questionDefault: 'allow' | 'deny'
  /** `Tool` or `Tool(pattern)`. */
  readonly allow: readonly string[]
  readonly deny: readonly string[]
  /** What no run here exceeds, whatever its task says. */
  readonly maxPermissionMode: PermissionMode
  readonly sandbox: SandboxMode
  /** Folders that a sandboxed run may write beside its own. */
  readonly writableDirs: readonly string[]
  /** What a sandboxed run reaches beside its model and Lodeline. */
  readonly network: readonly string[]
  /** More names of environment variables for runs. */
  readonly passEnvironment: readonly string[]
  /** MCP servers of the person's own that runs get, by name. */
  readonly mcpServers: readonly string[]
}

/** What a command line may say; wins over everything else. */
export interface ConfigFlags {
  home?: string
  settings?: Partial<Record<ConfigKey, string | number | boolean | readonly string[]>>
}

export interface ConfigSources {
  env: Readonly<Record<string, string | undefined>>
  /** Absolute; the project's file is looked for from here upwards. */
  cwd: string
  flags?: ConfigFlags
}

/** Where a value came from, weakest first. */
export type ConfigOrigin = 'default' | 'user file' | 'project file' | 'environment' | 'flag'

export interface ConfigEntry<K extends ConfigKey = ConfigKey> {
  key: K
  value: Settings[K]
  origin: ConfigOrigin
  /** The file's path or the variable's name; `null` for defaults and flags. */
  source: string | null
}

export interface ConfigReport {
  config: Config
  entries: ConfigEntry[]
  /** Wrong values and unreadable files; the value of the source below was kept. */
  errors: string[]
  /** Unknown keys, and keys that a project's file may not set. */
  warnings: string[]
  userFile: string
  /** `null` = no project file was found. */
  projectFile: string | null
}

const USER_FILE = 'config.yaml'
const PROJECT_FILE = join('.lodeline', 'config.yaml')
const ENVIRONMENT = [
  'LODELINE_DATABASE_URL',
  'LODELINE_DATABASE_DIRECT_URL',
  'LODELINE_LISTEN',
  'LODELINE_BLOBS',
] as const

/**
 * Reads all sources once and merges them: defaults < user file < project file < environment < flags.
 *
 * @throws `invalid`  the first wrong value, naming the key and where it stands
 */
export function loadConfig(sources: ConfigSources): Config {
  const report = readConfig(sources)
  const [first] = report.errors
  if (first !== undefined) {
    throw new AppError('invalid', first, {
      hint: "Run 'lode config list' to see every setting and where it comes from.",
    })
  }
  return report.config
}

/** As `loadConfig`, but tells what is wrong instead of throwing: for `lode config` and `lode doctor`. */
export function readConfig(sources: ConfigSources): ConfigReport {
  const { env, cwd, flags = {} } = sources
  const { home, userFile, projectFile } = placesOf(sources)
  const errors: string[] = []
  const warnings: string[] = []

  const layers: Layer[] = [
    fileLayer('user file', userFile, errors, warnings),
    ...(projectFile === null ? [] : [fileLayer('project file', projectFile, warnings, warnings)]),
    environmentLayer(env, errors),
    { origin: 'flag', source: null, folder: cwd, values: new Map(Object.entries(flags.settings ?? {})) },
  ]

  const settings: Partial<Record<ConfigKey, unknown>> = {}
  const entries: ConfigEntry[] = []
  for (const key of CONFIG_KEYS) {
    const entry = resolveKey(key, layers, { env, folder: cwd }, errors, warnings)
    settings[key] = entry.value
    entries.push(entry)
  }
  return { config: assemble(home, settings as Settings), entries, errors, warnings, userFile, projectFile }
}

/** What the settings' files hold now, as one text: while it stays the same, so do the settings. */
export function settingsText(sources: ConfigSources): string {
  const { userFile, projectFile } = placesOf(sources)
  return [userFile, projectFile].map((file) => (file === null ? '' : `${file}\0${configText(file)}`)).join('\0')
}

function placesOf({ env, cwd, flags = {} }: ConfigSources) {
  const home = resolve(cwd, flags.home ?? (env.LODELINE_HOME || join(homeOf(env), '.lodeline')))
  const userFile = join(home, USER_FILE)
  return { home, userFile, projectFile: findProjectFile(cwd, userFile, homeOf(env)) }
}

interface Layer {
  origin: ConfigOrigin
  source: string | null
  folder: string
  values: Map<string, unknown>
}

function resolveKey<K extends ConfigKey>(
  key: K,
  layers: readonly Layer[],
  place: Place,
  errors: string[],
  warnings: string[],
): ConfigEntry<K> {
  const spec = specOf(key)
  let entry: ConfigEntry<K> = { key, value: spec.fallback(place), origin: 'default', source: null }
  for (const { origin, source, folder, values } of layers) {
    const given = values.get(key)
    if (given === undefined) continue
    const where = source === null ? `--${key}` : `${key} in ${source}`
    if (origin === 'project file' && !spec.isProjectSafe) {
      warnings.push(
        `${where} is ignored because a project's file can't set it. Set it with 'lode config set ${key} VALUE'.`,
      )
      continue
    }
    try {
      entry = { key, value: spec.parse(given, { env: place.env, folder }), origin, source }
    } catch (error) {
      // A repository's file is somebody else's: wrong values in it are reported, and don't stop the program.
      const list = origin === 'project file' ? warnings : errors
      list.push(`${where} ${(error as Error).message}.`)
    }
  }
  return entry
}

function fileLayer(origin: ConfigOrigin, path: string, problems: string[], warnings: string[]): Layer {
  const file = readConfigFile(path)
  if (file.problem !== null) problems.push(`${path} ${file.problem}.`)
  for (const key of file.values.keys()) {
    if (!isConfigKey(key)) warnings.push(`${path}: unknown setting '${key.slice(0, 60)}'.`)
  }
  return { origin, source: path, folder: dirname(path), values: file.values }
}

/** Few, and for development and containers only. */
function environmentLayer(env: ConfigSources['env'], errors: string[]): Layer {
  const values = new Map<string, unknown>()
  const [databaseUrl, directUrl, listen, blobs] = ENVIRONMENT.map((name) => env[name])
  if (databaseUrl) values.set('databaseUrl', databaseUrl)
  if (directUrl) values.set('databaseDirectUrl', directUrl)
  if (blobs) values.set('blobs', blobs)
  if (listen) {
    const match = /^(?:(?<host>[\w.-]+|\[[\da-fA-F:.]+\]):)?(?<port>\d{1,5})$/.exec(listen)
    if (match?.groups === undefined) errors.push('LODELINE_LISTEN must be PORT or HOST:PORT.')
    if (match?.groups?.host) values.set('listen.host', match.groups.host.replace(/^\[|\]$/g, ''))
    if (match?.groups?.port) values.set('listen.port', match.groups.port)
  }
  return { origin: 'environment', source: 'the environment (LODELINE_*)', folder: '/', values }
}

/**
 * The nearest `.lodeline/config.yaml` from `cwd` upwards, not above the repository's root, and never
 * in or above the user's home folder, where `.lodeline` is Lodeline's own.
 */
function findProjectFile(cwd: string, userFile: string, userHome: string): string | null {
  for (let folder = resolve(cwd); folder !== userHome && folder !== dirname(folder); folder = dirname(folder)) {
    const path = join(folder, PROJECT_FILE)
    if (path !== userFile && existsSync(path)) return path
    if (hasRepository(folder)) return null
  }
  return null
}

/** The settings in the form in which the program uses them. */
export function assemble(home: string, settings: Settings): Config {
  return Object.freeze({
    home,
    databaseUrl: settings.databaseUrl,
    databaseDirectUrl: settings.databaseDirectUrl,
    blobs: settings.blobs,
    listen: Object.freeze({ host: settings['listen.host'], port: settings['listen.port'] }),
    agents: assembleAgents(settings),
    collector: Object.freeze({
      enabled: settings['collector.enabled'],
      rescanSeconds: settings['collector.rescanSeconds'],
    }),
    log: Object.freeze({ level: settings['log.level'] }),
    retention: Object.freeze({
      days: settings['retention.days'],
      feedDays: settings['retention.feedDays'],
      taskDays: settings['retention.taskDays'],
    }),
    stuckAfterMs: settings.stuckAfterMs,
    worker: assembleWorker(home, settings),
    search: Object.freeze({ toolOutput: settings['search.toolOutput'] }),
    secrets: Object.freeze({
      detect: settings['secrets.detect'],
      ignore: Object.freeze(settings['secrets.ignore']),
    }),
    lead: Object.freeze({ answers: settings['lead.answers'] }),
    inbox: Object.freeze({ callbackNetworks: Object.freeze([...settings['inbox.callbackNetworks']]) }),
    notify: Object.freeze({
      networks: Object.freeze([...settings['notify.networks']]),
      commands: settings['notify.commands'],
    }),
    login: assembleLogin(settings),
    server: Object.freeze({
      publicUrl: settings['server.publicUrl'],
      allowedHosts: Object.freeze([...settings['server.allowedHosts']]),
      trustedProxies: Object.freeze([...settings['server.trustedProxies']]),
      drainMs: settings['server.drainSeconds'] * 1_000,
    }),
    issueFile: Object.freeze({ write: settings['issueFile.write'] }),
    issues: Object.freeze({ bd: Object.freeze(settings['issues.bd']) }),
    todos: assembleTodos(settings),
    hooks: Object.freeze({ autoInstall: settings['hooks.autoInstall'] }),
    guard: Object.freeze({ launches: settings['guard.launches'] }),
    messages: Object.freeze({ wake: settings['messages.wake'] }),
    tasks: Object.freeze({
      depth: settings['tasks.maxDepth'],
      children: settings['tasks.maxChildren'],
      tree: settings['tasks.maxTree'],
      running: Object.freeze({
        perUser: settings['tasks.maxPerUser'],
        perProject: settings['tasks.maxPerProject'],
        perAgent: settings['tasks.maxPerAgent'],
      }),
      leaseMs: leaseMs(settings),
    }),
    manifest: Object.freeze({
      enabled: settings['manifest.enabled'],
      retentionDays: settings['manifest.retentionDays'],
    }),
  })
}

/** A provider without a name of ours is none. */
function assembleLogin(settings: Settings): LoginConfig {
  const [issuer, clientId] = [settings['login.oidc.issuer'], settings['login.oidc.clientId']]
  const oidc =
    issuer === null || clientId === null ? null : { issuer, clientId, secretFile: settings['login.oidc.secretFile'] }
  return Object.freeze({ oidc: oidc && Object.freeze(oidc) })
}

function leaseMs(settings: Settings): number {
  const seconds = settings['tasks.leaseSeconds']
  if (seconds !== null) return seconds * 1_000
  return settings.databaseUrl === null ? DEFAULT_LEASE_MS : FLEET_LEASE_MS
}

function assembleTodos(settings: Settings): TodoConfig {
  return Object.freeze({
    enabled: settings['todos.enabled'],
    maxPerSession: settings['todos.maxPerSession'],
    debounceMs: settings['todos.debounceMs'],
    retentionDays: settings['todos.retentionDays'],
    exportToJsonl: settings['todos.exportToJsonl'],
    onReplace: settings['todos.onReplace'],
    linkFrom: Object.freeze([...settings['todos.linkFrom']]),
    closePromoted: settings['todos.closePromoted'],
  })
}

function assembleWorker(home: string, settings: Settings): WorkerConfig {
  return Object.freeze({
    enabled: settings['worker.enabled'],
    name: settings['worker.name'],
    concurrency: settings['worker.concurrency'],
    capabilities: Object.freeze([...settings['worker.capabilities']]),
    account: settings['worker.account'],
    agent: settings['worker.agent'],
    fallback: settings['worker.fallback'],
    settingSources: settings['worker.settingSources'],
    dir: settings['worker.dir'],
    dirs: Object.freeze([...settings['worker.dirs']]),
    worktreeFolder: settings['worker.worktreeFolder'] ?? join(home, 'worktrees'),
    mirrorFolder: join(home, 'mirrors'),
    liveWords: settings['worker.liveWords'],
    workCopies: settings['worker.workCopies'],
    keepWorktrees: settings['worker.keepWorktrees'],
    backgroundGraceMs: settings['worker.backgroundGraceSeconds'] * 1_000,
    questionMs: settings['worker.questionSeconds'] * 1_000,
    questionDefault: settings['worker.questionDefault'],
    allow: Object.freeze([...settings['worker.allow']]),
    deny: Object.freeze([...settings['worker.deny']]),
    maxPermissionMode: settings['worker.maxPermissionMode'],
    sandbox: settings['worker.sandbox'],
    writableDirs: Object.freeze([...settings['worker.writableDirs']]),
    network: Object.freeze([...settings['worker.network']]),
    passEnvironment: Object.freeze([...settings['worker.passEnvironment']]),
    mcpServers: Object.freeze([...settings['worker.mcpServers']]),
  })
}
