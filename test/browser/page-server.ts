/** A server for pages: a `lode up` with a folder and a port of its own, which can be killed and started again under an open page. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { type Client, createClient, httpTransport } from '../../src/api/client'
import { isAlive, killAll, processTree } from '../lab/processes'
import { until } from '../lab/until'
import { LODE } from '../lode-command'

export interface PageServerOptions {
  /** Lodeline's folder; is made. */
  home: string
  /** Beside what every such server has: no agent's folder is followed and no run is started, whatever is installed here, but by these. */
  settings?: Record<string, unknown>
  /** The folder that runs and commands work in; `home` unless told. */
  cwd?: string
  /** More environment. The caller's own is not seen. */
  env?: Record<string, string>
  /** argv that starts `lode`; the source by bun unless told. */
  command?: string[]
}

export class PageServer {
  readonly home: string
  readonly url: string
  readonly client: Client
  private readonly command: string[]
  private readonly cwd: string
  private readonly env: Record<string, string>
  private process: Bun.Subprocess<'ignore', 'ignore', 'pipe'> | undefined
  /** What it said on stderr, for a failing test to show. */
  private said: Promise<string> = Promise.resolve('')
  /** Processes that a killed server left. */
  private readonly left = new Set<number>()

  private constructor(options: PageServerOptions, port: number) {
    this.home = options.home
    this.command = options.command ?? LODE
    this.cwd = options.cwd ?? options.home
    this.env = { PATH: process.env.PATH ?? '', HOME: options.home, ...options.env, LODELINE_HOME: options.home }
    this.url = `http://127.0.0.1:${port}`
    const token = () => readFileSync(join(this.home, 'token'), 'utf8').trim()
    // The token is made at the server's first start.
    this.client = createClient((request) => httpTransport({ token: token(), origin: this.url })(request), {
      baseUrl: this.url,
    })
  }

  /** A server that is not started yet, with its settings written. */
  static async make(options: PageServerOptions): Promise<PageServer> {
    mkdirSync(options.home, { recursive: true, mode: 0o700 })
    const port = await freePort()
    const settings = {
      'claude.roots': [join(options.home, 'no-claude')],
      'worker.enabled': false,
      // Tasks that a test makes without a folder have this one.
      'worker.dir': options.cwd ?? options.home,
      ...options.settings,
      // Its page is open while it is away: it comes back where it was.
      'listen.port': port,
    }
    // JSON is YAML too.
    writeFileSync(join(options.home, 'config.yaml'), JSON.stringify(settings))
    return new PageServer(options, port)
  }

  /** A server at work on a folder of its own. */
  static async start(options: PageServerOptions): Promise<PageServer> {
    const server = await PageServer.make(options)
    await server.start()
    return server
  }

  get pid(): number {
    if (!this.process) throw new Error('the server was not started')
    return this.process.pid
  }

  /** @throws Error with what it said, when it ends instead of answering */
  async start(): Promise<void> {
    const child = Bun.spawn([...this.command, 'up'], {
      cwd: this.cwd,
      env: this.env,
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'pipe',
    })
    this.process = child
    this.said = child.stderr.text()
    await until('the server', async () => {
      if (child.exitCode !== null) throw new Error(`lode up ended with ${child.exitCode}: ${await this.said}`)
      return isAnswering(this.url)
    })
  }

  /** Kills the server alone, as a power loss would; what it started is gone by itself or at `stop`. */
  async kill(): Promise<void> {
    const child = this.process
    if (!child) return
    for (const pid of processTree(child.pid)) this.left.add(pid)
    child.kill('SIGKILL')
    await child.exited
    this.process = undefined
  }

  /** Ends the server as a person would, and what an earlier kill left. @throws Error when it does not end well */
  async stop(): Promise<void> {
    const child = this.process
    this.process = undefined
    let failure: string | undefined
    if (child) {
      for (const pid of processTree(child.pid)) this.left.add(pid)
      child.kill('SIGTERM')
      const watchdog = setTimeout(() => child.kill('SIGKILL'), 15_000)
      const code = await child.exited
      clearTimeout(watchdog)
      if (code !== 0) failure = `the server ended with ${code} (${child.signalCode}): ${await this.said}`
    }
    killAll([...this.left])
    await until('the processes of the server to be gone', () => ![...this.left].some(isAlive))
    if (failure !== undefined) throw new Error(failure)
  }

  /** Runs a command to its end and gives its answer, read as JSON. @throws Error when it fails */
  async lode<T>(...args: string[]): Promise<T> {
    const child = Bun.spawn([...this.command, ...args, '--json'], {
      cwd: this.cwd,
      env: this.env,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    if (code !== 0) throw new Error(`lode ${args.join(' ')} ended with ${code}: ${stderr}`)
    return JSON.parse(stdout) as T
  }
}

const isAnswering = (url: string): Promise<boolean> =>
  fetch(`${url}/api/health`).then(
    (response) => response.ok,
    () => false,
  )

/** A port of the loopback that was free a moment ago. */
async function freePort(): Promise<number> {
  const { promise, resolve: found, reject } = Promise.withResolvers<number>()
  const probe = createServer().on('error', reject)
  probe.listen(0, '127.0.0.1', () => {
    const address = probe.address()
    probe.close(() => (address && typeof address === 'object' ? found(address.port) : reject(new Error('no port'))))
  })
  return promise
}
