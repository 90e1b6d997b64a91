/** A server and workers in the process of the test, on the lab's CLI: what a test stops, asks and watches from within. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Transport } from '../../src/api/client/call'
import { createClient } from '../../src/api/client/client'
import { httpTransport } from '../../src/api/client/http-transport'
import { ensureToken } from '../../src/api/client/token-file'
import { statusOf } from '../../src/api/contract/error-codes'
import { ERROR_HEADER } from '../../src/api/contract/protocol'
import { type RunningServer, startServer } from '../../src/app/server/server'
import { runWorker } from '../../src/app/worker'
import { type Config, loadConfig } from '../../src/config/load'
import type { ErrorCode } from '../../src/domain/errors'
import type { AttemptId } from '../../src/domain/ids'
import { createLogger } from '../../src/util/log'
import type { RunningWorker, WorkerClient } from '../../src/worker/worker'
import { declared } from '../api/answers/declared-answers'
import { type Claude, cliPath } from './claude'
import { PASS_ENVIRONMENT } from './quick-start'
import { copyTables } from './tables'

export type Settings = Record<string, string | number | boolean | readonly string[]>

export interface HereOptions {
  settings?: Settings
}

/** Another `home` and HOME stand for another machine. */
export interface HereWorker {
  /** `w1` by default. */
  name?: string
  home?: string
  env?: Record<string, string>
  settings?: Settings
  /** Which of its requests are refused as those of a token that the server does not know any more. */
  isRefused?: (request: Request) => boolean
  /** What stands between it and its server. */
  between?: (send: Transport) => Transport
}

export class InProcess {
  /** Lodeline's folder. */
  readonly home: string
  readonly config: Config
  readonly #claude: Claude
  readonly #workers = new Set<RunningWorker>()
  readonly #settings: Settings
  #server: RunningServer | null = null
  #client: WorkerClient | null = null

  private constructor(claude: Claude, home: string, settings: Settings) {
    this.#claude = claude
    this.home = home
    this.#settings = settings
    this.config = this.configOf(home)
  }

  static async start(claude: Claude, { settings = {} }: HereOptions): Promise<InProcess> {
    const home = join(claude.root, 'l')
    mkdirSync(home)
    const here = new InProcess(claude, home, {
      'agents.claude-code.executable': cliPath(claude.version),
      'worker.allow': ['Bash(*)', 'Agent', 'Task'],
      'worker.dir': claude.project,
      'worker.passEnvironment': PASS_ENVIRONMENT,
      // The same on every machine; tests of the sandbox ask for it.
      'worker.sandbox': 'off',
      ...settings,
    })
    await here.startServer()
    return here
  }

  configOf(home: string, more: Settings = {}): Config {
    const settings = {
      'agents.claude-code.homes': [this.#claude.claudeRoot],
      'listen.port': 0,
      'log.level': 'warn',
      ...this.#settings,
      ...more,
    }
    return loadConfig({ env: this.#claude.environment(), cwd: this.#claude.project, flags: { home, settings } })
  }

  get url(): string {
    if (this.#server === null) throw new Error('no server runs')
    return this.#server.url
  }

  /** Speaks with the server as the operator. */
  get client(): WorkerClient {
    if (this.#client === null) throw new Error('no server was started')
    return this.#client
  }

  async startServer(port = 0): Promise<void> {
    const config: Config = { ...this.config, listen: { ...this.config.listen, port } }
    if (config.databaseUrl === null) copyTables(this.home)
    this.#server = await startServer({ config, log: this.logOf(this.home), isCollecting: true })
    this.#client = this.connect(await ensureToken(this.home))
  }

  /** Ends the server; gives its port, so that another can take its place. */
  async stopServer(): Promise<number> {
    const port = Number(new URL(this.url).port)
    await this.#server?.stop()
    this.#server = null
    return port
  }

  connect(token: string): WorkerClient {
    return createClient(declared(httpTransport({ token, origin: this.url })), { baseUrl: this.url })
  }

  logOf(home: string) {
    return createLogger({ file: join(home, 'log', 'lode.log'), level: 'info', terminalLevel: 'off' })
  }

  /** Starts a worker in this process. */
  async startWorker({
    name = 'w1',
    home = this.home,
    env,
    settings,
    isRefused,
    between = isRefused && ((send) => refusing(send, isRefused)),
  }: HereWorker = {}): Promise<RunningWorker> {
    mkdirSync(home, { recursive: true })
    const token = await ensureToken(this.home)
    const worker = await runWorker(this.configOf(home, settings), {
      serverUrls: [this.url],
      token: () => token,
      name,
      env: this.#claude.environment(env),
      log: this.logOf(home),
      ...(between && {
        transport: (presented) => between(httpTransport({ token: presented, origin: this.url })),
      }),
    })
    this.#workers.add(worker)
    return worker
  }

  async stopWorker(worker: RunningWorker): Promise<void> {
    await worker.stop({ deadlineMs: 8_000 })
    this.#workers.delete(worker)
  }

  /** Where a worker keeps what it knows of an attempt. */
  runFolder(attempt: AttemptId, home = this.home): string {
    return join(home, 'runs', attempt)
  }

  async stop(): Promise<void> {
    for (const worker of this.#workers) await worker.stop({ deadlineMs: 2_000 })
    await this.#server?.stop()
  }
}

const refusing =
  (send: Transport, isRefused: (request: Request) => boolean): Transport =>
  async (request) => {
    if (!isRefused(request)) return await send(request)
    return refusal('unauthorized', 'A valid token is required.')
  }

/** As a server refuses. */
export const refusal = (code: ErrorCode, message: string): Response =>
  Response.json({ error: { code, message } }, { status: statusOf(code), headers: { [ERROR_HEADER]: code } })
