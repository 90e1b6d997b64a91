/** A server and workers as processes of their own, each to be killed and started again, on one world's files. */

import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Client, createClient } from '../../src/api/client/client'
import { httpTransport } from '../../src/api/client/http-transport'
import type { Inputs } from '../../src/api/contract/operations'
import type { Attempt, Task } from '../../src/domain/task/task'
import { claudeCli } from '../../src/util/claude-cli'
import { isAlive } from '../lab/processes'
import { until } from '../lab/until'
import { requestsOf, type Shown, shownIn } from './shown-conversation'
import { type RunningCommand, TaskLab, type TaskLabOptions } from './task-lab'

/** How a worker is started; the same each time. */
export interface WorkerSeat {
  name: string
  /** At once. */
  concurrency?: number
  /** Instead of the world's own: what another machine would have. */
  environment?: Record<string, string>
  /** Instead of the server's own address: a way to it. */
  url?: string
}

export interface FleetOptions extends TaskLabOptions {
  /** Where the server listens; default 127.0.0.1. */
  host?: string
}

const FINAL: readonly Task['status'][] = ['completed', 'failed', 'cancelled']

export class Fleet {
  readonly world: TaskLab
  readonly url: string
  readonly client: Client
  server: RunningCommand
  readonly #workers = new Map<string, RunningCommand>()

  private constructor(world: TaskLab, url: string, client: Client, server: RunningCommand) {
    this.world = world
    this.url = url
    this.client = client
    this.server = server
  }

  static async start({ settings = {}, host = '127.0.0.1', ...options }: FleetOptions): Promise<Fleet> {
    const port = freePort()
    const own = { 'listen.host': host, 'listen.port': port, 'worker.enabled': false, ...settings }
    const world = await TaskLab.start({ ...options, settings: own })
    try {
      const server = await world.up()
      const url = `http://${host}:${port}`
      const token = readFileSync(join(world.home, 'token'), 'utf8').trim()
      const client = createClient(httpTransport({ token, origin: url }), { baseUrl: url })
      return new Fleet(world, url, client, server)
    } catch (error) {
      await world.stop()
      throw error
    }
  }

  /** Starts the server again where it was; it has to be gone. */
  async restartServer(): Promise<void> {
    this.server = await this.world.up()
  }

  worker(name: string): RunningCommand {
    const worker = this.#workers.get(name)
    if (worker === undefined) throw new Error(`no worker ${name}`)
    return worker
  }

  /** Starts a worker and waits until it takes tasks, or with `isAwaited: false` comes back at once. */
  async startWorker(
    { name, concurrency = 1, environment = {}, url = this.url }: WorkerSeat,
    isAwaited = true,
  ): Promise<RunningCommand> {
    if (environment.LODELINE_HOME !== undefined) this.#install(environment.LODELINE_HOME)
    if (environment.HOME !== undefined) mkdirSync(environment.HOME, { recursive: true })
    const args = ['work', '--server', url, '--token-file', join(this.world.home, 'token')]
    const worker = this.world.spawn([...args, '--name', name, '--concurrency', String(concurrency)], environment)
    this.#workers.set(name, worker)
    if (isAwaited)
      await until(`worker ${name}`, () => {
        if (!isAlive(worker.pid)) throw new Error(`worker ${name} ended: ${worker.stderr()}`)
        return worker.stdout().includes(`worker ${name}`)
      })
    return worker
  }

  /** Makes the folder of another installation, with what a person would set there. */
  #install(home: string): void {
    mkdirSync(home, { recursive: true })
    const settings = {
      'worker.executable': claudeCli(this.world.lab.version),
      'worker.maxPermissionMode': 'bypassPermissions',
    }
    writeFileSync(join(home, 'config.yaml'), JSON.stringify(settings))
  }

  async create(task: string, more: Omit<Inputs['tasks']['create'], 'task'> = {}): Promise<Task> {
    const own = { permissionMode: 'bypassPermissions', dir: this.world.lab.project }
    return (await this.client.tasks.create({ task, ...own, ...more })).task
  }

  async task(id: string): Promise<Task> {
    return (await this.client.tasks.get(id)).task
  }

  async attempts(id: string): Promise<Attempt[]> {
    return (await this.client.tasks.get(id)).attempts
  }

  /** The worker's own lines of a task's log. */
  async words(id: string): Promise<string[]> {
    const { lines } = await this.client.tasks.log(id, { limit: 1_000 })
    return lines.filter(({ kind }) => kind === 'run').map(({ text }) => text)
  }

  /** Waits for a status without a live attempt. @throws Error when the task ends in another way */
  async reached(id: string, status: Task['status'], timeoutMs = 60_000): Promise<Task> {
    let seen = ''
    const look = async () => {
      const { task, attempts } = await this.client.tasks.get(id)
      seen = `${task.status} (${task.reason})`
      if (attempts.some((attempt) => attempt.isLive)) return undefined
      if (task.status === status) return task
      if (!FINAL.includes(task.status)) return undefined
      throw new Error(`${id} is ${seen}, not ${status}\n${(await this.words(id)).join('\n')}`)
    }
    return until(`${id} to be ${status}`, look, timeoutMs).catch((error: unknown) => {
      throw new Error(`${error instanceof Error ? error.message : error}; it was ${seen}`)
    })
  }

  /** Waits until a process works on the task; gives its attempt. */
  async running(id: string, number = 1): Promise<Attempt> {
    return until(`attempt ${number} of ${id}`, async () => {
      const attempt = (await this.attempts(id)).at(-1)
      return attempt?.isLive && attempt.number >= number && attempt.process !== null ? attempt : undefined
    })
  }

  /** What the model was shown in the first request of an attempt. */
  async shown(id: string, number = 1): Promise<Shown> {
    const { task, attempts } = await this.client.tasks.get(id)
    const attempt = attempts.find((each) => each.number === number)
    const next = attempts.find((each) => each.number === number + 1)
    const first = attempt && requestsOf(attempt, next, this.world.lab.requests())[0]
    if (first === undefined) throw new Error(`the model was asked nothing in attempt ${number} of ${id}`)
    return shownIn(first, task.task)
  }

  /** Bytes that the slow work of a task has written. */
  beats(id: string, folder = this.world.lab.project): number {
    const path = join(folder, `beats-${id}`)
    return existsSync(path) ? statSync(path).size : 0
  }

  /** Starts a task that works slowly and waits until it is in its tool call. */
  async slowly(
    text: string,
    more: Omit<Inputs['tasks']['create'], 'task'> = {},
  ): Promise<{ id: string; attempt: Attempt }> {
    const { id } = await this.create(text, more)
    const attempt = await this.running(id)
    await until(`the tool call of ${id}`, () => this.beats(id, more.dir) > 0)
    return { id, attempt: (await this.attempts(id)).at(-1) ?? attempt }
  }

  /** Pauses a task and waits until its run is over. */
  async pause(id: string): Promise<void> {
    await this.client.tasks.pause(id)
    await this.reached(id, 'paused')
  }

  /** Resumes a task and waits until it has completed; gives its newest attempt. */
  async resume(id: string): Promise<Attempt> {
    await this.client.tasks.resume(id)
    await this.reached(id, 'completed')
    return this.newest(id)
  }

  async newest(id: string): Promise<Attempt> {
    const attempt = (await this.attempts(id)).at(-1)
    if (attempt === undefined) throw new Error(`${id} has no attempt`)
    return attempt
  }

  /** Ends everything; the files go too. */
  async stop(): Promise<void> {
    await this.world.stop()
  }
}

/** A port that was free a moment ago: a server that comes back has to be where it was. */
export function freePort(): number {
  const probe = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  const { port } = probe
  probe.stop(true)
  return port
}
