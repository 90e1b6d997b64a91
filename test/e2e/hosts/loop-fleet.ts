/** What a loop hurts: servers, workers and their ways to them, PostgreSQL and the servers' way to it, the object storage. */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Client, createClient } from '../../../src/api/client'
import { transportOf } from '../../../src/api/client/several-servers'
import { blobsOf, openDatabase } from '../../../src/app/threads/database'
import { sealPacks } from '../../../src/engine/packs/seal-packs'
import { type S3Server, startS3 } from '../../blobs/s3-server'
import { buildMadeUp } from '../../harness/made-up/build'
import type { CliVersion } from '../../lab/claude'
import { Lab, type LabWith } from '../../lab/lab'
import type { Machine } from '../../lab/machine'
import { PASS_ENVIRONMENT } from '../../lab/quick-start'
import type { RunningCommand } from '../../lab/running-command'
import { TaskWords } from '../../lab/task-words'
import { type WorkerSeat, Workers } from '../../lab/workers'
import { type PostgresServer, startPostgres } from '../../postgres'
import type { DatabaseKind } from '../../store-contract/databases'
import { openFleet } from '../tasks/fleet'
import { claudeOfLoop, type LoopCli } from './loop-cli'
import { madeUpOfLoop } from './loop-made-up'
import { type Backend, type ProxyOptions, startProxy, type TestProxy } from './proxy'

export interface LoopFleetOptions {
  cli: CliVersion | 'made-up'
  database: DatabaseKind
  /** With PostgreSQL several may speak. */
  servers: number
  workers: number
  /** Runs at once of a worker. */
  concurrency: number
  /** Whether the workers are on a machine with pids and a network of its own; with PostgreSQL only. */
  isApart: boolean
}

/** The shortest lease there is: a fault outlasts it soon. */
export const LEASE_SECONDS = 5

/** A server or a worker: it is up, or it is down until a later start. */
interface Member {
  name: string
  isDown: boolean
  isPaused: boolean
  running: RunningCommand
}

export interface Server extends Member {
  start(): Promise<RunningCommand>
}

/** A worker and its way to a server. */
export interface Seat extends Member {
  way: TestProxy
  /** Faults of the way that go on. */
  faults: Set<string>
  start(): Promise<RunningCommand>
}

/** A PostgreSQL of the loop's own, since it is killed, and the servers' way to it. */
export interface SharedDatabase {
  postgres: PostgresServer
  way: TestProxy
  url: string
}

/** What is written on another machine its workers send: there a server sees no file of it, though here they share a disk. */
const ELSEWHERE = {
  'collector.enabled': false,
  ...Object.fromEntries(['claude-code', 'made-up'].map((name) => [`agents.${name}.homes`, ['/nowhere']])),
}

/** Loopback addresses of servers, and those under which workers ask for one; all with the same port. */
const addressOf = (index: number): string => `127.0.0.${index + 2}`
const wayAddress = (index: number): string => `127.0.0.${index + 11}`

/** All is ripe for a pack at once. */
const SEAL = { minBytes: 1, quietMs: -60_000, keptMs: 60_000 }

type LoopLab = LabWith<'lode'>

export class LoopFleet {
  readonly lab: LoopLab
  readonly cli: LoopCli
  readonly taskFields: { dir: string; permissionMode?: 'bypassPermissions' }
  readonly servers: Server[] = []
  readonly seats: Seat[] = []
  readonly database: SharedDatabase | undefined
  readonly blobs: S3Server | undefined
  /** Lodeline's folders of the servers. */
  readonly homes: string[]
  /** That of the workers. */
  workersHome: string
  /** Speaks with whichever server answers. */
  client: Client
  readonly #options: LoopFleetOptions
  readonly #settings: Record<string, unknown>
  readonly #ground: Ground
  /** For what the lab does not end: it stands on these. */
  readonly #endings: readonly (() => Promise<unknown>)[]

  private constructor(
    ground: Ground,
    options: LoopFleetOptions,
    shared: { database: SharedDatabase | undefined; blobs: S3Server | undefined },
    settings: Record<string, unknown>,
    endings: readonly (() => Promise<unknown>)[],
  ) {
    this.lab = ground.lab
    this.#endings = endings
    this.cli = ground.cli
    this.taskFields = ground.taskFields
    this.#options = options
    this.#ground = ground
    this.database = shared.database
    this.blobs = shared.blobs
    this.#settings = settings
    this.homes = [ground.lab.lode.home]
    this.workersHome = ground.lab.lode.home
    this.client = ground.lab.lode.client
  }

  static async open(options: LoopFleetOptions): Promise<LoopFleet> {
    const isShared = options.database === 'postgres'
    const endings: (() => Promise<unknown>)[] = []
    try {
      const database = isShared ? await ownDatabase(endings) : undefined
      const blobs = isShared ? await startS3() : undefined
      if (blobs !== undefined) endings.push(() => blobs.stop())
      const settings = {
        'tasks.leaseSeconds': LEASE_SECONDS,
        'worker.enabled': false,
        'listen.host': addressOf(0),
        'server.allowedHosts': Array.from({ length: options.workers }, (_, index) => wayAddress(index)),
        ...(blobs && { blobs: blobs.url('loop') }),
        ...(options.isApart && ELSEWHERE),
      }
      const ground = await (options.cli === 'made-up'
        ? madeUpGround(settings, database)
        : claudeGround(options.cli, options.database, settings, database))
      mkdirSync(ground.cli.ticks)
      return new LoopFleet(ground, options, { database, blobs }, settings, endings)
    } catch (error) {
      for (const end of endings.toReversed()) await end()
      throw error
    }
  }

  async stop(): Promise<void> {
    try {
      await this.lab.stop()
    } finally {
      for (const end of this.#endings.toReversed()) await end()
    }
  }

  async start(): Promise<void> {
    const { lode } = this.lab
    const { isApart, servers, workers } = this.#options
    this.servers.push(member('s1', lode.server, () => lode.up()))
    const port = Number(new URL(lode.url).port)
    for (let index = 1; index < servers; index++) this.servers.push(await this.#addServer(index, port))
    const [first, ...others] = this.servers.map((_, index) => `http://${addressOf(index)}:${port}`)
    if (first !== undefined) this.client = createClient(transportOf([first, ...others], lode.token), { baseUrl: first })
    const machine = isApart ? await this.#addMachine() : undefined
    for (let index = 0; index < workers; index++) this.seats.push(await this.#addSeat(index, port, machine))
  }

  /** All servers, that of the number first. */
  backends(first: number): Backend[] {
    const port = Number(new URL(this.lab.lode.url).port)
    const all = this.servers.map((_, index) => ({ host: addressOf(index), port }))
    return [...all.slice(first % all.length), ...all.slice(0, first % all.length)]
  }

  /** Moves what is recorded into the object storage. */
  async seal(): Promise<number> {
    const { blobs, database, lab } = this
    if (blobs === undefined || database === undefined) return 0
    const place = { home: lab.lode.home, databaseUrl: database.url, blobs: blobs.url('loop') }
    const store = await openDatabase(place, { mode: 'read-write' })
    try {
      const storage = await blobsOf(place)
      return storage === null ? 0 : ((await sealPacks({ store, blobs: storage, ...SEAL }))?.packs ?? 0)
    } finally {
      await store.close()
    }
  }

  /** Another server for the same database. */
  async #addServer(index: number, port: number): Promise<Server> {
    const { root, lode } = this.lab
    const home = join(root, `l${index + 1}`)
    mkdirSync(home, { mode: 0o700 })
    copyFileSync(join(lode.home, 'token'), join(home, 'token'))
    const settings = {
      ...{ databaseUrl: this.database?.url, 'listen.port': port },
      ...this.#settings,
      ...{ 'worker.maxPermissionMode': 'bypassPermissions', 'listen.host': addressOf(index) },
      'collector.enabled': false,
    }
    writeFileSync(join(home, 'config.yaml'), JSON.stringify(settings))
    this.homes.push(home)
    const start = () => lode.up(['up'], 'Lodeline runs', { LODELINE_HOME: home })
    return member(`s${index + 1}`, await start(), start)
  }

  /** Where the model is the one thing that is reached beside servers. */
  async #addMachine(): Promise<Machine> {
    this.workersHome = join(this.lab.root, 'lw')
    const machine = await this.lab.addMachine({ hasNetwork: true })
    const { model } = this.#ground
    if (model !== undefined) {
      const { hostname, port } = new URL(model)
      await this.#wayOut(machine, hostname, Number(port), [{ host: hostname, port: Number(port) }])
    }
    return machine
  }

  async #addSeat(index: number, port: number, machine: Machine | undefined): Promise<Seat> {
    const host = wayAddress(index)
    const backends = this.backends(index)
    const way = await (machine === undefined
      ? this.#addWay({ host, port, backends })
      : this.#wayOut(machine, host, port, backends))
    const seat: WorkerSeat = {
      name: `w${index + 1}`,
      concurrency: this.#options.concurrency,
      url: `http://${host}:${port}`,
      settings: this.#ground.workerSettings,
      ...(machine && { machine, environment: { LODELINE_HOME: this.workersHome } }),
    }
    const start = () => this.lab.workers.start(seat)
    return { ...member(seat.name, await start(), start), way, faults: new Set() }
  }

  async #wayOut(machine: Machine, host: string, port: number, backends: Backend[]): Promise<TestProxy> {
    const path = join(this.lab.root, `way-${host}-${port}`)
    const way = await this.#addWay({ path, backends })
    await machine.way(host, port, path)
    return way
  }

  async #addWay(options: ProxyOptions): Promise<TestProxy> {
    const way = await startProxy(options)
    this.lab.ending('a way', () => way.close())
    return way
  }
}

function member(name: string, running: RunningCommand, start: () => Promise<RunningCommand>): Server {
  return { name, running, start, isDown: false, isPaused: false }
}

async function ownDatabase(endings: (() => Promise<unknown>)[]): Promise<SharedDatabase> {
  const postgres = await startPostgres()
  endings.push(() => postgres.stop())
  const url = new URL(postgres.url)
  const way = await startProxy({ backends: [{ host: url.hostname, port: Number(url.port) }] })
  endings.push(() => way.close())
  url.port = String(way.port)
  return { postgres, way, url: url.href }
}

/** What a kind of agent CLI brings with it. */
interface Ground {
  lab: LoopLab
  cli: LoopCli
  /** Address of its model, where it has one. */
  model: string | undefined
  /** What a worker's own installation has to know. */
  workerSettings: Record<string, unknown>
  /** What each task has. */
  taskFields: LoopFleet['taskFields']
}

async function claudeGround(
  version: CliVersion,
  database: DatabaseKind,
  settings: Record<string, unknown>,
  shared: SharedDatabase | undefined,
): Promise<Ground> {
  const place = shared === undefined ? {} : { databaseUrl: shared.url }
  const lab = await openFleet({ version, database, script: 'kill-loop', settings, ...place })
  const model = lab.claude.environment().ANTHROPIC_BASE_URL
  const taskFields = { permissionMode: 'bypassPermissions', dir: lab.claude.project } as const
  return { lab, cli: claudeOfLoop(lab.claude), model, workerSettings: {}, taskFields }
}

async function madeUpGround(settings: Record<string, unknown>, shared: SharedDatabase | undefined): Promise<Ground> {
  const lab = new Lab()
  try {
    const [project, root] = [lab.folder('p'), lab.folder('m')]
    lab.folder('m/talks')
    const program = await buildMadeUp()
    const workerSettings = { 'agents.made-up.executable': program.cli, 'agents.made-up.homes': [root] }
    const lode = lab.addLode('l', {
      ...{ command: [program.lode], cwd: project, databaseUrl: shared?.url, hasFixedPort: true, isKilled: true },
      env: { HOME: lab.root, MADE_UP_HOME: root },
      settings: { ...workerSettings, 'worker.sandbox': 'off', 'worker.passEnvironment': PASS_ENVIRONMENT, ...settings },
    })
    await lode.up()
    const tasks = new TaskWords(() => lode.client, undefined, { dir: project })
    const whole = Object.assign(lab, { lode, tasks, workers: new Workers(lode, undefined) })
    return {
      lab: whole,
      cli: madeUpOfLoop(root, project),
      model: undefined,
      workerSettings,
      taskFields: { dir: project },
    }
  } catch (error) {
    await lab.stop()
    throw error
  }
}
