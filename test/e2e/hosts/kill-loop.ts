/**
 * Tasks at work while their agent's CLI, their workers, the servers and PostgreSQL are killed and stand still, and while the ways from
 * workers to servers and from servers to PostgreSQL are refused, swallowed, cut and slow, at random points.
 */

import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { listAll } from '../../../src/api/client/list-all'
import type { Task } from '../../../src/domain/task/task'
import type { CliVersion } from '../../lab/claude'
import type { Machine } from '../../lab/machine'
import { isAlive } from '../../lab/processes'
import type { RunningCommand } from '../../lab/running-command'
import { until } from '../../lab/until'
import type { WorkerSeat } from '../../lab/workers'
import { type PostgresServer, startPostgres } from '../../postgres'
import type { DatabaseKind } from '../../store-contract/databases'
import { pidWithin, processesOf } from '../tasks/attempt-processes'
import { type Fleet, openFleet } from '../tasks/fleet'
import { type Backend, type ProxyOptions, startProxy, type TestProxy } from './proxy'

export interface KillLoopOptions {
  version: CliVersion
  /** For PostgreSQL two servers speak. */
  database: DatabaseKind
  /** Whether the workers are on a machine with pids and a network of its own; with PostgreSQL only. */
  isApart: boolean
  /** How many faults. */
  kills: number
  seed: number
}

/** The shortest lease there is: a fault outlasts it soon. */
const LEASE_SECONDS = 5
const LONGEST_FAULT_MS = 2 * LEASE_SECONDS * 1_000

/** What happens to the way between one worker and its server. */
const NETWORK = ['refuse', 'swallow', 'delay', 'cut'] as const
const FAULTS = ['kill cli', 'kill worker', 'kill server', 'stop worker', 'stop server', ...NETWORK] as const
/** Of PostgreSQL and the servers. `switch`: a worker's way leads to the other server from now on. */
const SHARED_FAULTS = ['switch', 'kill database', 'stop database', 'spoil database', 'cut database'] as const
export type Fault = (typeof FAULTS)[number] | (typeof SHARED_FAULTS)[number]
type LastingFault = 'refuse' | 'swallow' | 'delay'

/** A task of the loop with the word that its text holds, and no other text does. */
export interface LoopTask {
  id: string
  word: string
  parent: LoopTask | null
}

/** A message that somebody sent to a task that was not over a moment before. */
export interface LoopMessage {
  id: string
  to: string
}

/** What the loop leaves to be looked at. The servers and the workers are at work. */
export interface KillLoop {
  lab: Fleet
  tasks: LoopTask[]
  messages: LoopMessage[]
  /** Lodeline's folders of the servers. */
  homes: readonly string[]
  /** That of the workers. */
  workersHome: string
  /** What was done, in order, for a person who looks at a failure. */
  story: string[]
  /** How often each fault was there. */
  counts: Map<Fault, number>
  stop(): Promise<void>
}

/** Loopback addresses under which servers may be asked; they listen at others, with the same port. */
const WAYS = ['127.0.0.1', '::1'] as const
const SERVERS = ['127.0.0.2', '127.0.0.3'] as const
/** What is written on another machine its workers send: there a server sees no file of it, though here they share a disk. */
const ELSEWHERE = { 'collector.enabled': false, 'agents.claude-code.homes': ['/nowhere'] } as const
/** Tasks that have not ended yet, kept at this number until the last fault. */
const AT_ONCE = 4
const FINAL: readonly Task['status'][] = ['completed', 'failed', 'cancelled']

/**
 * Runs the loop: as many faults as asked for, then until every task has ended.
 *
 * @param started  gets the loop as soon as there is something to stop
 */
export async function killLoop(options: KillLoopOptions, started: (loop: KillLoop) => void): Promise<void> {
  const { version, database, kills, seed, isApart } = options
  const settings = {
    'tasks.leaseSeconds': LEASE_SECONDS,
    'listen.host': SERVERS[0],
    ...(isApart && ELSEWHERE),
  }
  const shared = database === 'postgres' ? await ownDatabase() : undefined
  const lab = await openFleet({ version, database, script: 'kill-loop', settings, ...shared?.place }).catch(
    async (error: unknown) => {
      await shared?.stop()
      throw error
    },
  )
  const loop = new Loop(lab, seed, shared, isApart)
  started(loop)
  mkdirSync(join(lab.claude.project, 'ticks'))
  await loop.start()
  for (let kill = 1; kill <= kills; kill++) {
    await loop.fill()
    await loop.say()
    await Bun.sleep(loop.random.between(50, 1_500))
    await loop.fault(kill)
  }
  await loop.end()
}

/** A PostgreSQL of the loop's own, since it is killed, and the servers' way to it. */
interface SharedDatabase {
  postgres: PostgresServer
  way: TestProxy
  place: { databaseUrl: string }
  stop(): Promise<void>
}

async function ownDatabase(): Promise<SharedDatabase> {
  const postgres = await startPostgres()
  const url = new URL(postgres.url)
  const way = await startProxy({ backends: [{ host: url.hostname, port: Number(url.port) }] })
  url.port = String(way.port)
  return {
    postgres,
    way,
    place: { databaseUrl: url.href },
    async stop() {
      await way.close()
      await postgres.stop()
    },
  }
}

interface Server {
  name: string
  running: RunningCommand
  again(): Promise<RunningCommand>
}

/** A worker and its way to a server. */
interface Seat extends WorkerSeat {
  way: TestProxy
  /** Faults of the way that go on. */
  faults: Set<LastingFault>
}

class Loop implements KillLoop {
  readonly lab: Fleet
  readonly tasks: LoopTask[] = []
  readonly messages: LoopMessage[] = []
  readonly story: string[] = []
  readonly counts = new Map<Fault, number>()
  readonly homes: string[]
  workersHome: string
  readonly random: SeededRandom
  readonly #from = performance.now()
  readonly #servers: Server[]
  readonly #seats: Seat[] = []
  /** Each fault once before one comes again. */
  #deck: Fault[] = []
  /** Workers that are to be started again, and ways that are to be healed. */
  readonly #later = new Set<Promise<void>>()
  readonly #down = new Set<string>()
  readonly #database: SharedDatabase | undefined

  readonly #isApart: boolean

  constructor(lab: Fleet, seed: number, database: SharedDatabase | undefined, isApart: boolean) {
    this.#isApart = isApart
    this.lab = lab
    this.#database = database
    this.random = new SeededRandom(seed)
    this.homes = [lab.lode.home]
    this.workersHome = lab.lode.home
    this.#servers = [{ name: 's1', running: lab.lode.server, again: () => lab.lode.up() }]
  }

  async start(): Promise<void> {
    const { databaseUrl } = this.lab.lode
    const port = Number(new URL(this.lab.lode.url).port)
    if (databaseUrl !== undefined) await this.#startSecond(databaseUrl, port)
    const machine = this.#isApart ? await this.#addMachine() : undefined
    for (const [i, host] of WAYS.entries()) {
      const backends = this.#backends(port, i)
      const way =
        machine === undefined
          ? await this.#addWay({ host, port, backends })
          : await this.#wayOut(machine, host, port, backends)
      const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}`
      const seat = {
        name: `w${i + 1}`,
        concurrency: 2 - i,
        url,
        way,
        faults: new Set<LastingFault>(),
        ...(machine && { machine, environment: { LODELINE_HOME: this.workersHome } }),
      }
      this.#seats.push(seat)
      await this.lab.workers.start(seat)
    }
  }

  /** Where the model is the one thing that is reached beside servers. */
  async #addMachine(): Promise<Machine> {
    this.workersHome = join(this.lab.root, 'lw')
    const machine = await this.lab.addMachine({ hasNetwork: true })
    const { hostname, port } = new URL(this.lab.claude.environment().ANTHROPIC_BASE_URL ?? '')
    await this.#wayOut(machine, hostname, Number(port), [{ host: hostname, port: Number(port) }])
    return machine
  }

  async #wayOut(machine: Machine, host: string, port: number, backends: Backend[]): Promise<TestProxy> {
    const path = join(this.lab.root, `way-${host.replaceAll(':', '-')}-${port}`)
    const way = await this.#addWay({ path, backends })
    await machine.way(host, port, path)
    return way
  }

  async #addWay(options: ProxyOptions): Promise<TestProxy> {
    const way = await startProxy(options)
    this.lab.ending('a way', () => way.close())
    return way
  }

  /** Another server for the same database. */
  async #startSecond(databaseUrl: string, port: number): Promise<void> {
    const { root, lode } = this.lab
    const home = join(root, 'l2')
    mkdirSync(home, { mode: 0o700 })
    copyFileSync(join(lode.home, 'token'), join(home, 'token'))
    const settings = {
      databaseUrl,
      'collector.enabled': false,
      ...(this.#isApart && ELSEWHERE),
      'listen.host': SERVERS[1],
      'listen.port': port,
      'tasks.leaseSeconds': LEASE_SECONDS,
      'worker.enabled': false,
      'worker.maxPermissionMode': 'bypassPermissions',
    }
    writeFileSync(join(home, 'config.yaml'), JSON.stringify(settings))
    const again = () => lode.up(['up'], 'Lodeline runs', { LODELINE_HOME: home })
    this.homes.push(home)
    this.#servers.push({ name: 's2', running: await again(), again })
  }

  /** All servers, that of the number first. */
  #backends(port: number, first: number): Backend[] {
    const all = SERVERS.slice(0, this.#servers.length).map((host) => ({ host, port }))
    return [...all.slice(first % all.length), ...all.slice(0, first % all.length)]
  }

  /** Makes tasks until there are enough: alone, after another, in its conversation, or both. */
  async fill(): Promise<void> {
    const known = await Array.fromAsync(listAll(this.lab.lode.client.tasks.list, { limit: 200 }, 'tasks'))
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
    const { id } = await this.lab.tasks.create(`Tick for ${word}`, {
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

  /** Tells a task something, often: one that runs, waits or was just given to a worker. */
  async say(): Promise<void> {
    if (this.random.below(3) === 0) return
    const { client } = this.lab.lode
    const known = await Array.fromAsync(listAll(client.tasks.list, { limit: 200 }, 'tasks'))
    const open = known.filter((task) => !FINAL.includes(task.status as Task['status']))
    if (open.length === 0) return
    const { id: to } = this.random.of(open)
    const { message } = await client.messages.send({ to, text: `Mind the gap ${this.messages.length}` })
    this.messages.push({ id: message.id, to })
    this.#tell(`said ${message.id} to ${to}`)
  }

  async fault(number: number): Promise<void> {
    if (this.#deck.length === 0) this.#deck = [...FAULTS, ...(this.#database ? SHARED_FAULTS : [])]
    const fault = this.#deck.splice(this.random.below(this.#deck.length), 1)[0] ?? 'cut'
    this.#tell(`fault ${number}: ${fault}`)
    if (fault === 'kill cli') await this.#killCli()
    else if (fault === 'kill worker') await this.#killWorker()
    else if (fault === 'kill server') await this.#killServer()
    else if (fault === 'stop worker') {
      await until('a worker to stop', () => this.#up().length > 0)
      const { name } = this.random.of(this.#up())
      await this.#pause(name, this.lab.workers.get(name))
    } else if (fault === 'stop server') {
      const { name, running } = this.random.of(this.#servers)
      await this.#pause(name, running)
    } else if (fault === 'cut') {
      const { name, way } = this.random.of(this.#seats)
      this.#tell(`  ${way.cutAll()} of ${name}`)
    } else if (fault === 'switch') this.#switch()
    else if (isOfDatabase(fault)) await this.#hurtDatabase(fault)
    else await this.#spoil(fault)
    this.counts.set(fault, (this.counts.get(fault) ?? 0) + 1)
  }

  #up(): Seat[] {
    return this.#seats.filter(({ name }) => !this.#down.has(name))
  }

  /** As many short ones as long ones: they are on both sides of a lease. */
  #spell(): number {
    return this.random.between(100, this.random.below(2) === 0 ? LONGEST_FAULT_MS : 1_000)
  }

  /** As a machine that sleeps, or has no time for it: it goes on where it was, and knows nothing of the time between. */
  async #pause(name: string, paused: RunningCommand): Promise<void> {
    const pauseMs = this.#spell()
    this.#tell(`  ${name}, for ${pauseMs} ms`)
    paused.signal('SIGSTOP')
    try {
      await Bun.sleep(pauseMs)
    } finally {
      paused.signal('SIGCONT')
    }
  }

  #switch(): void {
    const { name, way } = this.random.of(this.#seats)
    const first = this.random.below(this.#servers.length)
    way.use(this.#backends(Number(new URL(this.lab.lode.url).port), first))
    this.#tell(`  ${name} to s${first + 1}, ${way.cutAll()} connections cut`)
  }

  /** The way of one worker is spoiled for a while, in which other things happen. */
  async #spoil(fault: LastingFault): Promise<void> {
    const free = () => this.#seats.filter(({ faults }) => !faults.has(fault))
    await until('a way to spoil', () => free().length > 0)
    const { name, way, faults } = this.random.of(free())
    const spellMs = this.#spell()
    const delayMs = this.random.between(20, LONGEST_FAULT_MS)
    this.#tell(`  ${name}, for ${spellMs} ms${fault === 'delay' ? `, by ${delayMs} ms` : ''}`)
    faults.add(fault)
    if (fault === 'refuse') {
      await way.refuse(true)
      way.cutAll()
    } else if (fault === 'swallow') way.swallow(true)
    else way.delayMs(delayMs)
    this.#laterOn(async () => {
      await Bun.sleep(spellMs)
      if (fault === 'refuse') await way.refuse(false)
      else if (fault === 'swallow') way.swallow(false)
      else way.delayMs(0)
      faults.delete(fault)
      this.#tell(`  ${name}: ${fault} is over`)
    })
  }

  /** Until it is over: what else would happen meanwhile could not be told from it. */
  async #hurtDatabase(fault: DatabaseFault): Promise<void> {
    if (this.#database === undefined) return
    const { postgres, way } = this.#database
    const spellMs = this.#spell()
    if (fault === 'cut database') {
      this.#tell(`  ${way.cutAll()} connections`)
    } else if (fault === 'kill database') {
      await postgres.kill()
      const pauseMs = this.random.below(2) === 0 ? 0 : spellMs
      await Bun.sleep(pauseMs)
      await postgres.start()
      this.#tell(`  it is back after ${pauseMs} ms`)
    } else if (fault === 'stop database') {
      const all = postgres.processes()
      this.#tell(`  ${all.length} processes, for ${spellMs} ms`)
      signalAll(all, 'SIGSTOP')
      await Bun.sleep(spellMs)
      signalAll(all, 'SIGCONT')
    } else {
      const how = this.random.of(['refuse', 'swallow', 'delay'] as const)
      this.#tell(`  ${how}, for ${spellMs} ms`)
      if (how === 'refuse') {
        await way.refuse(true)
        way.cutAll()
      } else if (how === 'swallow') way.swallow(true)
      else way.delayMs(this.random.between(20, 500))
      await Bun.sleep(spellMs)
      if (how === 'refuse') await way.refuse(false)
      else if (how === 'swallow') way.swallow(false)
      else way.delayMs(0)
    }
    await until(
      'the server to answer again',
      () =>
        this.lab.lode.client.tasks.list({ limit: 1 }).then(
          () => true,
          () => false,
        ),
      60_000,
    )
  }

  #laterOn(work: () => Promise<void>): void {
    const doing = work().finally(() => this.#later.delete(doing))
    this.#later.add(doing)
    doing.catch(() => {})
  }

  async #killCli(): Promise<void> {
    const pid = await until(
      'a run to kill',
      async () => {
        const { tasks } = await this.lab.lode.client.tasks.list({ status: ['in_progress'], limit: 50 })
        for (const { id } of tasks) {
          const attempt = (await this.lab.tasks.attempts(id)).at(-1)
          const process = attempt?.isLive ? attempt.process : null
          // Its pid may be another's by now.
          const pid = processesOf({ attempt: attempt?.id }).find((each) => pidWithin(each) === process?.pid)
          if (pid !== undefined) {
            this.#tell(`  ${attempt?.id}, pid ${pid}`)
            return pid
          }
        }
        return undefined
      },
      120_000,
    )
    if (isAlive(pid)) process.kill(pid, 'SIGKILL')
  }

  async #killWorker(): Promise<void> {
    await until('a worker to kill', () => this.#up().length > 0)
    const seat = this.random.of(this.#up())
    const worker = this.lab.workers.get(seat.name)
    worker.signal('SIGKILL')
    await worker.exited
    const pauseMs = this.random.below(2) === 0 ? 0 : this.random.between(100, 4_000)
    this.#tell(`  ${seat.name}, again in ${pauseMs} ms`)
    this.#down.add(seat.name)
    this.#laterOn(() => this.#startLater(seat, pauseMs))
  }

  /** A supervisor tries again while there is no server. */
  async #startLater(seat: Seat, pauseMs: number): Promise<void> {
    await Bun.sleep(pauseMs)
    for (let tries = 1; ; tries++) {
      try {
        await this.lab.workers.start(seat)
        break
      } catch (error) {
        if (tries === 100 || !String(error).includes('does not respond')) throw error
        await Bun.sleep(200)
      }
    }
    this.#tell(`  ${seat.name} is back`)
    this.#down.delete(seat.name)
  }

  async #killServer(): Promise<void> {
    const server = this.random.of(this.#servers)
    server.running.signal('SIGKILL')
    await server.running.exited
    const pauseMs = this.random.below(2) === 0 ? 0 : this.random.between(100, 3_000)
    await Bun.sleep(pauseMs)
    server.running = await server.again()
    this.#tell(`  ${server.name} is back after ${pauseMs} ms`)
  }

  /** Waits until all is done and delivered. */
  async end(): Promise<void> {
    while (this.#later.size > 0) await Promise.all(this.#later)
    this.#tell('waiting for the end')
    await until(
      'all tasks to end',
      async () => {
        for await (const task of listAll(this.lab.lode.client.tasks.list, { limit: 200 }, 'tasks'))
          if (!FINAL.includes(task.status as Task['status'])) return false
        // One that was given to a run and not read is given to another one.
        return await this.#areRead()
      },
      180_000,
    )
    this.#tell('all tasks have ended')
  }

  async #areRead(): Promise<boolean> {
    for (const { id } of this.messages) {
      const { message, steps } = await this.lab.lode.client.messages.get(id)
      // It came after the end of its task, and waits.
      const isLate = steps.every(({ status }) => status === 'produced')
      if (message.status !== 'consumed' && !isLate) return false
    }
    return true
  }

  async stop(): Promise<void> {
    await Promise.allSettled(this.#later)
    await this.lab.stop()
    await this.#database?.stop()
  }

  #tell(text: string): void {
    this.story.push(`${((performance.now() - this.#from) / 1_000).toFixed(2)} s  ${text}`)
  }
}

type DatabaseFault = Extract<Fault, `${string} database`>
const isOfDatabase = (fault: Fault): fault is DatabaseFault => fault.endsWith(' database')

function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal)
    } catch {
      // It ended by itself.
    }
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
