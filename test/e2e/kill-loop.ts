/** Tasks at work while their agent's CLI, their workers and the server are killed, and stand still, at random points. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Task } from '../../src/domain/task'
import { processesOf } from './attempt-processes'
import { Fleet, type WorkerSeat } from './fleet'
import { isAlive, until } from './process-tree'
import type { CliVersion } from './real-cli'

export interface KillLoopOptions {
  version: CliVersion
  databaseUrl?: string | undefined
  kills: number
  /** Longest time for which a process stands still, in milliseconds. */
  longestPauseMs: number
  seed: number
}

/** What was killed, or made to stand still. */
export type Victim = 'cli' | 'worker' | 'server' | 'worker, which stands still' | 'server, which stands still'

/** A task of the loop with the word that its text holds, and no other text does. */
export interface LoopTask {
  id: string
  word: string
  parent: LoopTask | null
}

/** What the loop leaves to be looked at. The server and the workers are at work. */
export interface KillLoop {
  fleet: Fleet
  tasks: LoopTask[]
  /** What was done, in order, for a person who looks at a failure. */
  story: string[]
}

const SEATS: readonly WorkerSeat[] = [
  { name: 'w1', concurrency: 2 },
  { name: 'w2', concurrency: 1 },
]
/** Tasks that have not ended yet, kept at this number until the last kill. */
const AT_ONCE = 4
const FINAL: readonly Task['status'][] = ['completed', 'failed', 'cancelled']

/**
 * Runs the loop: as many kills as asked for, then until every task has ended.
 *
 * @param started  gets the loop as soon as there is something to stop
 */
export async function killLoop(options: KillLoopOptions, started: (loop: KillLoop) => void): Promise<void> {
  const { version, databaseUrl, kills, longestPauseMs, seed } = options
  const fleet = await Fleet.start({ version, databaseUrl, script: 'kill-loop' })
  const loop = new Loop(fleet, seed)
  started(loop)
  mkdirSync(join(fleet.world.lab.project, 'ticks'))
  for (const seat of SEATS) await fleet.startWorker(seat)
  for (let kill = 1; kill <= kills; kill++) {
    await loop.fill()
    await Bun.sleep(loop.random.between(50, 1_500))
    await loop.kill(kill, longestPauseMs)
  }
  await loop.end()
}

class Loop implements KillLoop {
  readonly fleet: Fleet
  readonly tasks: LoopTask[] = []
  readonly story: string[] = []
  readonly random: SeededRandom
  readonly #from = performance.now()
  /** Workers that are to be started again later. */
  readonly #starting = new Set<Promise<void>>()
  readonly #down = new Set<string>()

  constructor(fleet: Fleet, seed: number) {
    this.fleet = fleet
    this.random = new SeededRandom(seed)
  }

  /** Makes tasks until there are enough: alone, after another, in its conversation, or both. */
  async fill(): Promise<void> {
    const known = await Array.fromAsync(this.fleet.client.tasks.all({ limit: 200 }))
    const status = new Map(known.map((task) => [task.id as string, task.status]))
    let open = known.filter((task) => !FINAL.includes(task.status as Task['status'])).length
    for (; open < AT_ONCE; open++) await this.#create(status)
  }

  async #create(status: ReadonlyMap<string, string>): Promise<void> {
    const { random } = this
    const word = `WORD${this.tasks.length}X${random.below(1e9).toString(36)}`
    const parent = this.tasks.length > 0 && random.below(3) > 0 ? random.of(this.tasks) : null
    const before = this.tasks.length > 1 && random.below(4) === 0 ? random.of(this.tasks) : null
    // One that is at work is waited for; what nobody has begun has no conversation yet.
    const isBegun = ['in_progress', ...FINAL].includes(status.get(parent?.id ?? '') ?? '')
    const dependsOn = [before, isBegun ? null : parent].flatMap((task) => (task === null ? [] : [task.id]))
    const { id } = await this.fleet.create(`Tick for ${word}`, {
      priority: random.below(101),
      retryPolicy: { maximumAttempts: 1_000, initialIntervalMs: 20, maximumIntervalMs: 200 },
      ...(parent === null ? {} : { parentTaskId: parent.id }),
      dependsOn: [...new Set(dependsOn)],
    })
    this.tasks.push({ id, word, parent })
    this.#tell(
      `made ${id}${parent === null ? '' : `, child of ${parent.id}`}, after ${dependsOn.join(' and ') || 'nothing'}`,
    )
  }

  async kill(number: number, longestPauseMs: number): Promise<void> {
    const stills = ['worker, which stands still', 'server, which stands still'] as const
    const victim = this.random.of<Victim>(['cli', 'cli', 'worker', 'worker', 'server', ...stills])
    this.#tell(`kill ${number}: ${victim}`)
    if (victim === 'cli') await this.#killCli()
    else if (victim === 'worker') await this.#killWorker()
    else if (victim === 'server') await this.#killServer()
    else await this.#pause(victim === stills[0] ? 'worker' : 'server', longestPauseMs)
  }

  /** As a machine that sleeps, or has no time for it: it goes on where it was, and knows nothing of the time between. */
  async #pause(which: 'worker' | 'server', longestMs: number): Promise<void> {
    const up = () => SEATS.filter(({ name }) => !this.#down.has(name))
    if (which === 'worker') await until('a worker to stop', () => up().length > 0)
    const paused = which === 'worker' ? this.fleet.worker(this.random.of(up()).name) : this.fleet.server
    // As many short ones as long ones: they are on both sides of a lease.
    const pauseMs = this.random.between(100, this.random.below(2) === 0 ? longestMs : 1_000)
    this.#tell(`  for ${pauseMs} ms`)
    paused.signal('SIGSTOP')
    try {
      await Bun.sleep(pauseMs)
    } finally {
      paused.signal('SIGCONT')
    }
  }

  async #killCli(): Promise<void> {
    const pid = await until('a run to kill', async () => {
      const { tasks } = await this.fleet.client.tasks.list({ status: ['in_progress'], limit: 50 })
      for (const { id } of tasks) {
        const attempt = (await this.fleet.attempts(id)).at(-1)
        const process = attempt?.isLive ? attempt.process : null
        // Its pid may be another's by now.
        if (process && processesOf({ attempt: attempt?.id }).includes(process.pid)) {
          this.#tell(`  ${attempt?.id}, pid ${process.pid}`)
          return process.pid
        }
      }
      return undefined
    })
    if (isAlive(pid)) process.kill(pid, 'SIGKILL')
  }

  async #killWorker(): Promise<void> {
    const up = () => SEATS.filter(({ name }) => !this.#down.has(name))
    await until('a worker to kill', () => up().length > 0)
    const seat = this.random.of(up())
    const worker = this.fleet.worker(seat.name)
    worker.signal('SIGKILL')
    await worker.exited
    const pauseMs = this.random.below(2) === 0 ? 0 : this.random.between(100, 4_000)
    this.#tell(`  ${seat.name}, again in ${pauseMs} ms`)
    this.#down.add(seat.name)
    const starting = this.#startLater(seat, pauseMs).finally(() => this.#starting.delete(starting))
    this.#starting.add(starting)
    starting.catch(() => {})
  }

  /** A supervisor tries again while there is no server. */
  async #startLater(seat: WorkerSeat, pauseMs: number): Promise<void> {
    await Bun.sleep(pauseMs)
    for (let tries = 1; ; tries++) {
      try {
        await this.fleet.startWorker(seat)
        break
      } catch (error) {
        if (tries === 20 || !String(error).includes('does not answer')) throw error
        await Bun.sleep(200)
      }
    }
    this.#tell(`  ${seat.name} is back`)
    this.#down.delete(seat.name)
  }

  async #killServer(): Promise<void> {
    this.fleet.server.signal('SIGKILL')
    await this.fleet.server.exited
    const pauseMs = this.random.below(2) === 0 ? 0 : this.random.between(100, 3_000)
    await Bun.sleep(pauseMs)
    await this.fleet.restartServer()
    this.#tell(`  the server is back after ${pauseMs} ms`)
  }

  /** Waits until all is done and delivered. */
  async end(): Promise<void> {
    while (this.#starting.size > 0) await Promise.all(this.#starting)
    this.#tell('waiting for the end')
    await until(
      'all tasks to end',
      async () => {
        for await (const task of this.fleet.client.tasks.all({ limit: 200 }))
          if (!FINAL.includes(task.status as Task['status'])) return false
        return true
      },
      180_000,
    )
    this.#tell('all tasks have ended')
  }

  #tell(text: string): void {
    this.story.push(`${((performance.now() - this.#from) / 1_000).toFixed(2)} s  ${text}`)
  }
}

/** Small numbers from a seed, the same in each run (mulberry32). */
export class SeededRandom {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** 0 to `end` − 1. */
  below(end: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * end)
  }

  between(low: number, high: number): number {
    return low + this.below(high - low)
  }

  of<T>(list: readonly T[]): T {
    const found = list[this.below(list.length)]
    if (found === undefined) throw new Error('nothing to choose from')
    return found
  }
}
