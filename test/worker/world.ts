/** A server, workers and the real agent CLI in one world of their own, with the scripted model. */

import { mkdirSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { createClient } from '../../src/api/client/client'
import { httpTransport } from '../../src/api/client/http-transport'
import { ensureToken } from '../../src/api/client/token-file'
import type { Inputs } from '../../src/api/contract/operations'
import { type RunningServer, startServer } from '../../src/app/server/server'
import { runWorker } from '../../src/app/worker'
import { type Config, loadConfig } from '../../src/config/load'
import type { AttemptId } from '../../src/domain/ids'
import { type Attempt, FINAL_TASK_STATUSES, type Task, type TaskLogLine } from '../../src/domain/task/task'
import { claudeCli } from '../../src/util/claude-cli'
import { createLogger } from '../../src/util/log'
import { startOf } from '../../src/util/process/process-tree'
import type { RunningWorker, WorkerClient } from '../../src/worker/worker'
import { declared } from '../api/answers/declared-answers'
import { type CliVersion, Lab } from '../e2e/real-cli'
import { isAlive, killAll } from '../lab/processes'
import { until } from '../lab/until'
import type { ChildOptions } from './worker-child'

export interface WorldOptions {
  version: CliVersion
  settings?: Record<string, string | number | boolean | readonly string[]>
  env?: Record<string, string>
}

export class World {
  readonly lab: Lab
  readonly home: string
  readonly config: Config
  client: WorkerClient
  readonly #children = new Set<number>()
  readonly #workers = new Set<RunningWorker>()
  readonly #settings: NonNullable<WorldOptions['settings']>
  #server: RunningServer | null = null

  private constructor(lab: Lab, home: string, settings: NonNullable<WorldOptions['settings']>) {
    this.lab = lab
    this.home = home
    this.#settings = settings
    this.config = this.configOf(home)
    this.client = undefined as never
  }

  static async start({ version, settings = {}, env = {} }: WorldOptions): Promise<World> {
    const lab = await Lab.start({ version, script: 'worker', env })
    const home = join(lab.root, 'l')
    mkdirSync(home)
    const world = new World(lab, home, {
      'worker.executable': claudeCli(version),
      'worker.allow': ['Bash(*)', 'Agent', 'Task'],
      'worker.dir': lab.project,
      ...settings,
    })
    await world.startServer()
    return world
  }

  configOf(home: string, more: WorldOptions['settings'] = {}): Config {
    const settings = {
      'claude.roots': [this.lab.claudeRoot],
      'listen.port': 0,
      'log.level': 'warn',
      ...this.#settings,
      ...more,
    }
    return loadConfig({ env: this.lab.environment(), cwd: this.lab.project, flags: { home, settings } })
  }

  get url(): string {
    if (this.#server === null) throw new Error('no server runs')
    return this.#server.url
  }

  async startServer(port = 0): Promise<void> {
    const config: Config = { ...this.config, listen: { ...this.config.listen, port } }
    this.#server = await startServer({ config, log: this.logOf(this.home), isCollecting: true })
    this.client = this.connect(await ensureToken(this.home))
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

  /** A worker in this process. Another `home` and HOME stand for another machine. */
  async startWorker(
    more: { name?: string; home?: string; env?: Record<string, string>; settings?: WorldOptions['settings'] } = {},
  ) {
    const home = more.home ?? this.home
    mkdirSync(home, { recursive: true })
    const worker = await runWorker(this.configOf(home, more.settings), {
      serverUrl: this.url,
      token: await ensureToken(this.home),
      name: more.name ?? 'w1',
      env: this.lab.environment(more.env),
      log: this.logOf(home),
    })
    this.#workers.add(worker)
    return worker
  }

  /** A worker in a process of its own; resolves when it takes tasks. */
  async spawnWorker(
    more: { name?: string; home?: string; env?: Record<string, string>; settings?: WorldOptions['settings'] } = {},
  ) {
    const home = more.home ?? this.home
    mkdirSync(home, { recursive: true })
    const options: ChildOptions = {
      home,
      name: more.name ?? 'w1',
      serverUrl: this.url,
      token: await ensureToken(this.home),
      cwd: this.lab.project,
      env: this.lab.environment(more.env),
      settings: { 'claude.roots': [this.lab.claudeRoot], ...this.#settings, ...more.settings },
    }
    const child = Bun.spawn([process.execPath, join(import.meta.dir, 'worker-child.ts'), JSON.stringify(options)], {
      env: { PATH: process.env.PATH ?? '', HOME: this.lab.home },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'inherit',
    })
    this.#children.add(child.pid)
    for await (const said of child.stdout) if (new TextDecoder().decode(said).includes('ready')) break
    return child
  }

  async stopWorker(worker: RunningWorker): Promise<void> {
    await worker.stop({ deadlineMs: 8_000 })
    this.#workers.delete(worker)
  }

  async create(task: string, more: Omit<Inputs['tasks']['create'], 'task'> = {}): Promise<Task> {
    return (await this.client.tasks.create({ task, ...more })).task
  }

  async task(id: string): Promise<Task> {
    return (await this.client.tasks.get(id)).task
  }

  async attempts(id: string): Promise<Attempt[]> {
    return (await this.client.tasks.get(id)).attempts
  }

  async log(id: string): Promise<TaskLogLine[]> {
    return (await this.client.tasks.log(id, { limit: 1_000 })).lines
  }

  /** The worker's own lines of the task's log. */
  async words(id: string): Promise<string[]> {
    return (await this.log(id)).filter((line) => line.kind === 'run').map((line) => line.text)
  }

  /** Waits for a status, and that no attempt is live. */
  async reached(id: string, ...statuses: Task['status'][]): Promise<Task> {
    const wanted = statuses.join(' or ')
    const found = await until<Task | Error>(
      `${id} to be ${wanted}`,
      async () => {
        const { task, attempts } = await this.client.tasks.get(id)
        if (statuses.includes(task.status) && !attempts.some((attempt) => attempt.isLive)) return task
        if (isFinal(task.status) && !statuses.includes(task.status))
          return new Error(`${id} is ${task.status}, not ${wanted}: ${task.reason}`)
      },
      25_000,
    ).catch((error: Error) => error)
    if (!(found instanceof Error)) return found
    // What led there is worth more than the place where it was waited for.
    const lines = (await this.log(id)).map((line) => `${line.at} ${line.attempt ?? '-'} ${line.kind}: ${line.text}`)
    throw new Error(`${found.message}\n${lines.join('\n')}`)
  }

  /** Waits until the CLI works on a task; gives the attempt. */
  async running(id: string): Promise<Attempt> {
    return until(`${id} to run`, async () => {
      const attempt = (await this.attempts(id)).at(-1)
      return attempt?.isLive && attempt.process !== null ? attempt : undefined
    })
  }

  /** What the model was sent in the main conversation for this session, as text. */
  shown(session: string): string {
    const requests = this.lab.requests().filter((request) => request.who === 'main' && request.session === session)
    return JSON.stringify(requests.at(-1)?.body.messages ?? null)
  }

  runFolder(attempt: AttemptId, home = this.home): string {
    return join(home, 'runs', attempt)
  }

  async stop(): Promise<void> {
    for (const worker of this.#workers) await worker.stop({ deadlineMs: 2_000 })
    killAll([...this.#children])
    await until('the workers to be gone', () => ![...this.#children].some(isAlive))
    await this.#server?.stop()
    await this.lab.stop()
  }
}

const isFinal = (status: Task['status']) => FINAL_TASK_STATUSES.some((each) => each === status)

export const HOST = hostname()

/** Whether the process is at work: one that has ended and was not waited for yet is not. */
export const isRunning = (pid: number): boolean => startOf(pid) !== null
