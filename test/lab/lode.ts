/** Lodeline as a person runs it: `lode` processes with a folder of their own. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Client, createClient, httpTransport } from '../../src/api/client'
import { defaultHarness, harnesses } from '../../src/harness/registry'
import { declared } from '../api/answers/declared-answers'
import { LODE, LODE_WORDS } from '../lode-command'
import { freePort } from './free-port'
import type { Machine } from './machine'
import { isAlive, killAll, processTree } from './processes'
import { QUICK_START } from './quick-start'
import { type CommandResult, type RunningCommand, startCommand, startTerminal, type Terminal } from './running-command'
import { copyTables } from './tables'
import { until } from './until'

export interface LodeOptions {
  /** Configuration folders of Claude Code to follow; none by default. */
  claudeRoots?: string[]
  /** Those of other agent CLIs, by their names. */
  homes?: Readonly<Record<string, string[]>>
  /** PostgreSQL; the embedded database otherwise. */
  databaseUrl?: string | undefined
  /** Beside those of every lab, and in their place. */
  settings?: Record<string, unknown>
  /** Where commands run; in its folder by default. */
  cwd?: string
  /** More environment. The caller's own is not seen, but for the search path. */
  env?: Record<string, string>
  /** Folders before the search path. */
  path?: string[]
  /** argv that starts `lode`; what the test run compiled, or the source, by default. */
  command?: readonly string[]
  /** On which machine its processes run; here by default. */
  machine?: Machine
  /** Whether the server listens at one port in all its lives. */
  hasFixedPort?: boolean
  /** The server is killed at the end of the lab, instead of being asked to end and held to a good exit code. */
  isKilled?: boolean
}

/** The line of a hook in an agent's settings that tells the installation in `home`. */
export const hookCommand = (home: string): string => `${LODE_WORDS} hook --home '${home}'`

/** How long a server may take to end after SIGTERM, in milliseconds. */
const END_MS = 15_000

/** One installation: its folder with a written configuration, its server when started, its commands. */
export class Lode {
  /** Lodeline's folder. */
  readonly home: string
  readonly databaseUrl: string | undefined
  readonly #options: LodeOptions
  readonly #port: number
  readonly #started = new Set<number>()
  #server: RunningCommand | undefined
  #url: string | undefined
  #client: Client | undefined

  constructor(home: string, options: LodeOptions) {
    this.home = home
    this.databaseUrl = options.databaseUrl
    this.#options = options
    this.#port = options.hasFixedPort ? freePort() : 0
    mkdirSync(home, { recursive: true, mode: 0o700 })
    const homes: LodeOptions['homes'] = {
      ...(options.claudeRoots && { [defaultHarness().name]: options.claudeRoots }),
      ...options.homes,
    }
    const settings = {
      // No test records what this machine has.
      ...Object.fromEntries(
        harnesses().map(({ name }) => [`agents.${name}.homes`, homes[name] ?? [join(home, `no-${name}`)]]),
      ),
      'listen.port': this.#port,
      'worker.dir': options.cwd ?? home,
      databaseUrl: options.databaseUrl,
      ...options.settings,
    }
    // JSON is YAML too.
    writeFileSync(join(home, 'config.yaml'), JSON.stringify(settings))
  }

  /** Where the server answers. @throws Error before its first start, unless its port is fixed */
  get url(): string {
    if (this.#url !== undefined) return this.#url
    if (this.#port === 0) throw new Error('the server was not started')
    return `http://127.0.0.1:${this.#port}`
  }

  get token(): string {
    return readFileSync(join(this.home, 'token'), 'utf8').trim()
  }

  /** Speaks with the server as the operator. */
  get client(): Client {
    const { url: origin } = this
    this.#client ??= createClient(
      declared((request) => httpTransport({ token: this.token, origin })(request)),
      {
        baseUrl: origin,
      },
    )
    return this.#client
  }

  /** The command that was started last by `up`. */
  get server(): RunningCommand {
    if (this.#server === undefined) throw new Error('the server was not started')
    return this.#server
  }

  /** Starts the server, or another command that stays, and waits until it says that it is there. */
  async up(args: string[] = ['up'], says = 'Lodeline runs', env: Record<string, string> = {}): Promise<RunningCommand> {
    const isServer = args[0] === 'up' || args[0] === 'serve'
    const isOwn = isServer && env.LODELINE_HOME === undefined
    // From an earlier life: pids of another machine don't distinguish the two.
    if (isOwn) rmSync(join(this.home, 'server.json'), { force: true })
    if (isOwn && this.databaseUrl === undefined) copyTables(this.home)
    const running = this.spawn(args, env)
    if (isOwn) this.#server = running
    try {
      await until(`lode ${args[0]}`, () => {
        if (!isAlive(running.pid)) throw new Error(`lode ${args.join(' ')} ended: ${running.stderr()}`)
        return running.stdout().includes(says)
      })
    } catch (error) {
      // Whoever tries again finds nobody in its place.
      killAll(processTree(running.pid))
      throw error
    }
    if (!isOwn) return running
    const { url } = JSON.parse(readFileSync(join(this.home, 'server.json'), 'utf8')) as { url: string }
    if (url !== this.#url) this.#client = undefined
    this.#url = url
    return running
  }

  /** Kills the server with all that it started, as a power loss would. */
  async crash(): Promise<void> {
    if (this.#server === undefined) return
    const tree = processTree(this.#server.pid)
    killAll(tree)
    await this.#server.ended
    await until('the server to be gone', () => !tree.some(isAlive))
    this.#server = undefined
  }

  /** Kills the server alone: what it started is gone by itself or at the end. */
  async kill(): Promise<void> {
    if (this.#server === undefined) return
    for (const pid of processTree(this.#server.pid)) this.#started.add(pid)
    this.#server.signal('SIGKILL')
    await this.#server.ended
    this.#server = undefined
  }

  /** Ends the server as a person would. @throws Error when it does not end well */
  async stop(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    if (server === undefined || !isAlive(server.pid)) return
    for (const pid of processTree(server.pid)) this.#started.add(pid)
    server.signal('SIGTERM')
    const watchdog = setTimeout(() => killAll([server.pid]), END_MS)
    const exitCode = await server.ended
    clearTimeout(watchdog)
    if (exitCode !== 0) throw new Error(`the server ended with ${exitCode}: ${server.stderr()}`)
  }

  /** Ends the server, kills whatever else still runs, and waits until it is gone. @throws Error when the server does not end well */
  async end(): Promise<void> {
    const isKilled = this.#options.isKilled || this.#options.machine !== undefined
    const failure = isKilled ? undefined : await this.stop().catch((error: unknown) => error)
    const left = [...this.#started].filter(isAlive).flatMap(processTree)
    killAll(left)
    await until(`the processes of ${this.home} to be gone`, () => !left.some(isAlive))
    if (failure !== undefined) throw failure
  }

  /** Starts a command and comes back at once. */
  spawn(args: string[], env: Record<string, string> = {}, cwd?: string, machine?: Machine): RunningCommand {
    const running = startCommand(this.#words(args, machine), this.#place(env, cwd))
    this.#started.add(running.pid)
    void running.ended.then(() => this.#started.delete(running.pid))
    return running
  }

  /** Starts a command at a terminal of its own, where a person types. @param cwd  the shell's folder, which it names in PWD */
  terminal(args: string[], cwd?: string): Terminal {
    const place = cwd === undefined ? this.#place() : this.#place({ PWD: cwd }, cwd)
    const terminal = startTerminal(this.#words(args), place)
    this.#started.add(terminal.pid)
    return terminal
  }

  /** Runs a command to its end. */
  lode(...args: string[]): Promise<CommandResult> {
    return this.spawn(args).exited
  }

  /** Runs a command and gives its JSON answer. @throws Error when it fails */
  async json<T>(...args: string[]): Promise<T> {
    const { exitCode, stdout, stderr } = await this.lode(...args, '--json')
    if (exitCode !== 0) throw new Error(`lode ${args.join(' ')} ended with ${exitCode}: ${stderr}`)
    return JSON.parse(stdout) as T
  }

  #words(args: readonly string[], machine = this.#options.machine): string[] {
    const words = [...(this.#options.command ?? LODE), ...args]
    return machine?.command(words, this.#options.cwd ?? this.home) ?? words
  }

  #place(env: Record<string, string> = {}, cwd = this.#options.cwd ?? this.home) {
    const PATH = [...(this.#options.path ?? []), process.env.PATH ?? ''].join(':')
    const own = { PATH, TMPDIR: process.env.TMPDIR ?? '/tmp', HOME: this.home, ...QUICK_START }
    return { cwd, env: { ...own, ...this.#options.env, LODELINE_HOME: this.home, ...env } }
  }
}
