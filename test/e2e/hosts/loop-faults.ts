/** The faults of a loop: each is chosen from a shuffled deck, and most go on while others come. */
import { isAlive } from '../../lab/processes'
import type { SeededRandom } from '../../lab/seeded-random'
import { pidWithin, processesOf } from '../tasks/attempt-processes'
import { LEASE_SECONDS, type LoopFleet, type Seat, type Server } from './loop-fleet'

/** What happens to the way between one worker and its server. */
const WAY_FAULTS = ['refuse', 'swallow', 'delay'] as const
type WayFault = (typeof WAY_FAULTS)[number]
const FAULTS = ['kill cli', 'kill worker', 'kill server', 'stop worker', 'stop server', 'cut', ...WAY_FAULTS] as const
/** `switch`: a worker's way leads to another server from now on. */
const SHARED_FAULTS = [
  'switch',
  'kill database',
  'stop database',
  'spoil database',
  'cut database',
  'kill blobs',
  'stop blobs',
] as const
export type Fault = (typeof FAULTS)[number] | (typeof SHARED_FAULTS)[number]

const LONGEST_FAULT_MS = 2 * LEASE_SECONDS * 1_000
/** How long a server or a worker may take to start while all is hurt, in milliseconds. */
const START_MS = 300_000

export class LoopFaults {
  /** How often each was there. */
  readonly counts = new Map<Fault, number>()
  readonly #fleet: LoopFleet
  readonly #random: SeededRandom
  readonly #oneInLong: number
  readonly #tell: (text: string) => void
  #deck: Fault[] = []
  #decks = 0
  /** What is to be healed. */
  readonly #later = new Set<Promise<void>>()
  /** Only one fault of these at a time makes sense. */
  readonly #hurt = new Set<'database' | 'blobs'>()
  /** A fault could not be healed. */
  #failure: unknown

  /** @param oneInLong  one fault in this many may last for two leases, the others for a second */
  constructor(fleet: LoopFleet, random: SeededRandom, oneInLong: number, tell: (text: string) => void) {
    this.#fleet = fleet
    this.#random = random
    this.#oneInLong = oneInLong
    this.#tell = tell
  }

  /** Does the next one that has something to hurt; it may go on after this. @throws what an earlier one could not heal */
  async next(number: number): Promise<void> {
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure
      if (this.#deck.length === 0) this.#deck = this.#newDeck()
      const fault = this.#deck.splice(this.#random.below(this.#deck.length), 1)[0] ?? 'cut'
      const what = await this.#begin(fault)
      if (what === null) continue
      this.#tell(`fault ${number}: ${fault} ${what}`)
      this.counts.set(fault, (this.counts.get(fault) ?? 0) + 1)
      return
    }
  }

  /** Each fault once before one comes again; those that hurt everybody in one deck of three, or nothing would get done. */
  #newDeck(): Fault[] {
    const isShared = this.#fleet.database !== undefined && this.#decks++ % 3 === 0
    return [...FAULTS, ...(isShared ? SHARED_FAULTS : [])]
  }

  /** Waits until all is healed. */
  async end(): Promise<void> {
    while (this.#later.size > 0) await Promise.all(this.#later)
    if (this.#failure !== undefined) throw this.#failure
  }

  async settled(): Promise<void> {
    await Promise.allSettled(this.#later)
  }

  /** @returns in words what it hurts; `null` = there is nothing to hurt in this way now */
  async #begin(fault: Fault): Promise<string | null> {
    const { servers, seats } = this.#fleet
    switch (fault) {
      case 'kill cli':
        return this.#killCli()
      case 'kill worker':
        return this.#kill(seats)
      case 'kill server':
        return this.#kill(servers)
      case 'stop worker':
        return this.#pause(seats)
      case 'stop server':
        return this.#pause(servers)
      case 'cut': {
        const { name, way } = this.#random.of(seats)
        return `${way.cutAll()} of ${name}`
      }
      case 'switch': {
        const { name, way } = this.#random.of(seats)
        const first = this.#random.below(servers.length)
        way.use(this.#fleet.backends(first))
        return `${name} to s${first + 1}, ${way.cutAll()} connections cut`
      }
      case 'refuse':
      case 'swallow':
      case 'delay':
        return this.#spoil(fault)
      default:
        return fault.endsWith('blobs') ? this.#hurtBlobs(fault) : this.#hurtDatabase(fault)
    }
  }

  #spell(): number {
    return this.#random.between(100, this.#random.below(this.#oneInLong) === 0 ? LONGEST_FAULT_MS : 1_000)
  }

  #laterOn(work: () => Promise<void>): void {
    const doing = work()
      .catch((error: unknown) => {
        this.#failure ??= error
      })
      .finally(() => this.#later.delete(doing))
    this.#later.add(doing)
  }

  /** A process of a run's CLI, by what the system says. */
  #killCli(): string | null {
    const pids = processesOf({ home: this.#fleet.workersHome })
    if (pids.length === 0) return null
    const pid = this.#random.of(pids)
    if (!isAlive(pid)) return null
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      return null
    }
    return `pid ${pid}, ${pidWithin(pid)} within`
  }

  async #kill(all: readonly (Server | Seat)[]): Promise<string | null> {
    const up = all.filter(({ isDown, isPaused }) => !isDown && !isPaused)
    if (up.length === 0) return null
    const member = this.#random.of(up)
    const pauseMs = this.#random.below(2) === 0 ? 0 : this.#spell()
    member.isDown = true
    member.running.signal('SIGKILL')
    this.#laterOn(async () => {
      await member.running.ended
      await Bun.sleep(pauseMs)
      await this.#start(member)
      member.isDown = false
      this.#tell(`  ${member.name} is back`)
    })
    return `${member.name}, again in ${pauseMs} ms`
  }

  /** A supervisor tries again while there is no database, or no server. */
  async #start(member: Server | Seat): Promise<void> {
    const from = performance.now()
    for (;;) {
      try {
        member.running = await member.start()
        return
      } catch (error) {
        if (performance.now() - from > START_MS) throw error
        this.#tell(`  ${member.name} did not start: ${String(error).slice(0, 200)}`)
        await Bun.sleep(200)
      }
    }
  }

  /** As a machine that sleeps, or has no time for it: it goes on where it was, and knows nothing of the time between. */
  #pause(all: readonly (Server | Seat)[]): string | null {
    const up = all.filter(({ isDown, isPaused }) => !isDown && !isPaused)
    if (up.length === 0) return null
    const member = this.#random.of(up)
    const pauseMs = this.#spell()
    member.isPaused = true
    member.running.signal('SIGSTOP')
    this.#laterOn(async () => {
      await Bun.sleep(pauseMs)
      member.running.signal('SIGCONT')
      member.isPaused = false
    })
    return `${member.name}, for ${pauseMs} ms`
  }

  /** The way of one worker is spoiled for a while. */
  async #spoil(fault: WayFault): Promise<string | null> {
    const free = this.#fleet.seats.filter(({ faults }) => !faults.has(fault))
    if (free.length === 0) return null
    const { name, way, faults } = this.#random.of(free)
    const spellMs = this.#spell()
    const delayMs = this.#random.between(20, this.#spell())
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
    return `${name}, for ${spellMs} ms${fault === 'delay' ? `, by ${delayMs} ms` : ''}`
  }

  async #hurtDatabase(fault: Fault): Promise<string | null> {
    const { database } = this.#fleet
    if (database === undefined || this.#hurt.has('database')) return null
    const { postgres, way } = database
    if (fault === 'cut database') return `${way.cutAll()} connections`
    const spellMs = this.#spell()
    const after = (heal: () => unknown): void => this.#once('database', spellMs, heal)
    if (fault === 'kill database') {
      await postgres.kill()
      after(() => postgres.start())
      return `for ${spellMs} ms`
    }
    if (fault === 'stop database') {
      const all = postgres.processes()
      signalAll(all, 'SIGSTOP')
      after(() => signalAll(all, 'SIGCONT'))
      return `${all.length} processes, for ${spellMs} ms`
    }
    const how = this.#random.of(WAY_FAULTS)
    if (how === 'refuse') {
      await way.refuse(true)
      way.cutAll()
      after(() => way.refuse(false))
    } else if (how === 'swallow') {
      way.swallow(true)
      after(() => way.swallow(false))
    } else {
      way.delayMs(this.#random.between(20, 500))
      after(() => way.delayMs(0))
    }
    return `${how}, for ${spellMs} ms`
  }

  async #hurtBlobs(fault: Fault): Promise<string | null> {
    const { blobs } = this.#fleet
    if (blobs === undefined || this.#hurt.has('blobs')) return null
    const spellMs = this.#spell()
    if (fault === 'kill blobs') {
      await blobs.kill()
      this.#once('blobs', spellMs, () => blobs.start())
    } else {
      blobs.pause()
      this.#once('blobs', spellMs, () => blobs.goOn())
    }
    return `for ${spellMs} ms`
  }

  #once(what: 'database' | 'blobs', spellMs: number, heal: () => unknown): void {
    this.#hurt.add(what)
    this.#laterOn(async () => {
      await Bun.sleep(spellMs)
      await heal()
      this.#hurt.delete(what)
      this.#tell(`  the ${what}: it is over`)
    })
  }
}

function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal)
    } catch {
      // It ended by itself.
    }
  }
}
