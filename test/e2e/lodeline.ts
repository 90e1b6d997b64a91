/** Lodeline as a user runs it: `lode` processes with a folder of their own. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Client, createClient, httpTransport } from '../../src/api/client'
import { declared } from '../api/answers/declared-answers'
import { isAlive, killAll, processTree } from '../lab/processes'
import { until } from '../lab/until'
import { LODE, LODE_WORDS } from '../lode-command'
import type { Machine } from './machine'

export interface LodelineOptions {
  /** Lodeline's folder. */
  home: string
  /** Configuration folders of Claude Code to follow; none unless told. */
  claudeRoots?: string[]
  /** PostgreSQL; the embedded database otherwise. */
  databaseUrl?: string | undefined
  /** Where its processes run; here unless told. */
  machine?: Machine
  /** Folders before the search path. */
  path?: string[]
}

export interface CommandResult {
  exitCode: number
  stdout: string
  stderr: string
}

/** One installation: its folder with a written configuration, its server when started, its commands. */
export class Lodeline {
  readonly home: string
  readonly databaseUrl: string | undefined
  private readonly machine: Machine | undefined
  private readonly path: readonly string[]
  private server: Bun.Subprocess<'ignore', 'ignore', 'pipe'> | undefined
  private connected: Client | undefined
  /** What the server said on stderr, for a failing test to show. */
  private said: Promise<string> = Promise.resolve('')

  constructor(options: LodelineOptions) {
    this.home = options.home
    this.databaseUrl = options.databaseUrl
    this.machine = options.machine
    this.path = options.path ?? []
    mkdirSync(options.home, { recursive: true })
    const settings = {
      'claude.roots': options.claudeRoots ?? [join(options.home, 'no-claude')],
      'listen.port': 0,
      'worker.dir': options.home,
      databaseUrl: options.databaseUrl,
    }
    // JSON is YAML too.
    writeFileSync(join(options.home, 'config.yaml'), JSON.stringify(settings))
  }

  /** The line of a hook in an agent's settings that tells the installation in `home`. */
  static hookCommand(home: string): string {
    return `${LODE_WORDS} hook --home '${home}'`
  }

  get client(): Client {
    if (!this.connected) throw new Error('the server was not started')
    return this.connected
  }

  /** Starts `lode up` and waits until it answers. */
  async up(kind: 'up' | 'serve' = 'up'): Promise<void> {
    // Of an earlier life: pids of another machine can't tell the two apart.
    rmSync(join(this.home, 'server.json'), { force: true })
    const server = Bun.spawn(this.command([kind]), {
      env: this.environment(),
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'pipe',
    })
    this.server = server
    this.said = server.stderr.text()
    const file = await until('the server', async () => {
      if (server.exitCode !== null) throw new Error(`lode ${kind} ended with ${server.exitCode}: ${await this.said}`)
      const found = readServerFile(this.home)
      const isIts = this.machine !== undefined || found?.pid === server.pid
      return found !== undefined && isIts && (await answers(found.url)) ? found : undefined
    })
    const token = readFileSync(join(this.home, 'token'), 'utf8').trim()
    this.connected = createClient(declared(httpTransport({ token, origin: file.url })), { baseUrl: file.url })
  }

  /** Kills the server as a power loss would, without a chance to put things in order. */
  async crash(): Promise<void> {
    const { server } = this
    if (!server) return
    const tree = processTree(server.pid)
    killAll(tree)
    await server.exited
    await until('the server to be gone', () => !tree.some(isAlive))
    this.server = undefined
  }

  /** Ends the server as a person would. @throws Error when it does not end well */
  async stop(): Promise<void> {
    const { server } = this
    this.server = undefined
    if (!server || server.exitCode !== null) return
    server.kill('SIGTERM')
    const watchdog = setTimeout(() => server.kill('SIGKILL'), 15_000)
    const code = await server.exited
    clearTimeout(watchdog)
    if (code !== 0) throw new Error(`the server ended with ${code} (${server.signalCode}): ${await this.said}`)
  }

  /** Runs a command to its end. */
  async lode(...args: string[]): Promise<CommandResult> {
    const child = Bun.spawn(this.command(args), {
      env: this.environment(),
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [stdout, stderr, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    return { stdout, stderr, exitCode }
  }

  /** Runs a command and gives its JSON answer. @throws Error when it fails */
  async json<T>(...args: string[]): Promise<T> {
    const run = await this.lode(...args, '--json')
    if (run.exitCode !== 0) throw new Error(`lode ${args.join(' ')} ended with ${run.exitCode}: ${run.stderr}`)
    return JSON.parse(run.stdout)
  }

  private command(args: readonly string[]): string[] {
    const words = [...LODE, ...args, '--home', this.home]
    return this.machine?.command(words, this.home) ?? words
  }

  private environment(): Record<string, string> {
    return { PATH: [...this.path, process.env.PATH ?? ''].join(':'), HOME: this.home }
  }
}

function readServerFile(home: string): { url: string; pid: number } | undefined {
  try {
    return JSON.parse(readFileSync(join(home, 'server.json'), 'utf8'))
  } catch {
    return undefined
  }
}

const answers = (url: string): Promise<boolean> =>
  fetch(`${url}/api/health`).then(
    (response) => response.ok,
    () => false,
  )
