/**
 * Tasks at work while their agent's CLI, their workers, the servers, PostgreSQL and the object storage are killed and stand still, and while
 * the ways from workers to servers and from servers to PostgreSQL are refused, swallowed, cut and slow, at random points.
 */

import { SeededRandom } from '../../lab/seeded-random'
import { type Fault, LoopFaults } from './loop-faults'
import { LoopFleet, type LoopFleetOptions } from './loop-fleet'
import { type LoopMessage, type LoopTask, LoopWork } from './loop-work'

export interface KillLoopOptions extends LoopFleetOptions {
  seed: number
}

/** How hard a loop is. */
interface Pace {
  /** Milliseconds between two faults. */
  gapMs: [low: number, high: number]
  /** One fault in this many lasts for up to two leases, the others for a second at most. */
  oneInLong: number
  /** Milliseconds between two looks at the work. */
  workMs: number
  /** Tasks that have not ended yet. */
  tasks: number
  /** One look at the work in this many also moves what is recorded into the object storage. */
  oneInSeals: number
}

/** The real CLI takes two thirds of a second of a core to start. */
const REAL: Pace = { gapMs: [500, 2_500], oneInLong: 2, workMs: 1_000, tasks: 4, oneInSeals: 3 }
const MADE_UP: Pace = { gapMs: [20, 220], oneInLong: 8, workMs: 700, tasks: 12, oneInSeals: 3 }

/** What the loop leaves to be looked at. The servers and the workers are at work. */
export class KillLoop {
  readonly fleet: LoopFleet
  /** What was done, in order, for a person who looks at a failure. */
  readonly story: string[] = []
  readonly #from = performance.now()
  readonly #work: LoopWork
  readonly #faults: LoopFaults
  readonly #pace: Pace
  readonly #random: SeededRandom
  readonly #tell: (text: string) => void
  /** Packs that were made. */
  sealed = 0

  private constructor(fleet: LoopFleet, { cli, seed }: KillLoopOptions) {
    this.#tell = (text) => {
      this.story.push(`${((performance.now() - this.#from) / 1_000).toFixed(2)} s  ${text}`)
    }
    this.fleet = fleet
    this.#pace = cli === 'made-up' ? MADE_UP : REAL
    this.#random = new SeededRandom(seed)
    // Each draws from numbers of its own: how long one waits does not change what the other chooses.
    this.#work = new LoopWork(fleet, new SeededRandom(seed + 1), this.#pace.tasks, this.#tell)
    this.#faults = new LoopFaults(fleet, new SeededRandom(seed + 2), this.#pace.oneInLong, this.#tell)
  }

  static async open(options: KillLoopOptions): Promise<KillLoop> {
    return new KillLoop(await LoopFleet.open(options), options)
  }

  get tasks(): readonly LoopTask[] {
    return this.#work.tasks
  }

  get messages(): readonly LoopMessage[] {
    return this.#work.messages
  }

  get counts(): ReadonlyMap<Fault, number> {
    return this.#faults.counts
  }

  /** As many faults as asked for, then until every task has ended. */
  async run(faults: number): Promise<void> {
    await this.fleet.start()
    await this.#work.step()
    const over = new AbortController()
    const working = this.#keepWorking(over.signal)
    // A failure of the work ends the faults, too.
    let failed: unknown
    working.catch((error: unknown) => {
      failed = error
    })
    try {
      for (let number = 1; number <= faults && failed === undefined; number++) {
        await Bun.sleep(this.#random.between(...this.#pace.gapMs))
        await this.#faults.next(number)
      }
    } finally {
      over.abort()
      await working
    }
    await this.#faults.end()
    await this.#work.end()
  }

  async #keepWorking(signal: AbortSignal): Promise<void> {
    for (let step = 1; !signal.aborted; step++) {
      await this.#work.step()
      if (step % this.#pace.oneInSeals === 0) await this.#seal()
      await Bun.sleep(this.#pace.workMs)
    }
  }

  /** Moves what is recorded into the object storage, where that and the database answer. */
  async #seal(): Promise<void> {
    try {
      const packs = await this.fleet.seal()
      this.sealed += packs
      this.#tell(`  ${packs} packs sealed`)
    } catch (error) {
      this.#tell(`  nothing was sealed: ${error instanceof Error ? error.message : error}`)
    }
  }

  async stop(): Promise<void> {
    await this.#faults.settled()
    await this.fleet.stop()
  }
}
