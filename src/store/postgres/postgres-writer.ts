import { AppError, toAppError } from '../../domain/errors'
import { answerOf, type Ended } from '../../domain/last-read'
import { requireProven, UnprovenCaller } from '../../domain/token/remembered-token'
import type { UnitSubject } from '../../domain/unit-subject'
import { UnitScope } from '../sql/unit-scope'
import type { Weight } from '../sql/write-gate'
import { DatabaseClock } from './database-clock'
import type { UnitExecutor } from './postgres-connection'
import { isRetryable, mapPostgresError } from './postgres-errors'
import type { PostgresPool } from './postgres-pool'
import { PostgresTransaction } from './postgres-transaction'
import { prove } from './short/token-proof'

/** Units that run at once; the pool's other connections are for reads. */
const UNITS_AT_ONCE = 6
/** Bulk units that run at once: interactive ones always find a connection. */
const BULK_AT_ONCE = 3
/** A unit that met a deadlock is run this often in all. */
const ATTEMPTS = 8

export interface PostgresWriterOptions<Tx> {
  /** Makes the unit's view of the database. */
  transaction: (executor: UnitExecutor, scope: UnitScope, now: number) => Tx
  /** Called after each commit that may have added to the feed. */
  onFeed: () => void
  /** Does units whose subject is known in one statement. Default: all are done in transactions. */
  short?: (clock: DatabaseClock) => ShortWriter<Tx>
}

interface ShortWriter<Tx> {
  /** @returns `undefined` when the unit is no short one: nothing of it was kept */
  write<T>(work: Work<Tx, T>, about: UnitSubject): Promise<ShortAnswer<T> | undefined>
}

/** @see ShortUnits.write */
export interface ShortAnswer<T> {
  answer: T
  /** Its entries of the feed have their numbers. */
  isNumbered: boolean
}

interface WaitingUnit {
  run: () => Promise<void>
  weight: Weight
}

/** How one transaction of a unit is made. */
interface Transacting {
  /** Long units only: the first round trip looks up the caller's token, and the last one numbers the entries of the feed. */
  about: UnitSubject | undefined
  /** Whether to wait for the database's clock before the unit begins. */
  isAsking: boolean
}

type Work<Tx, T> = (tx: Tx) => Ended<T> | Promise<Ended<T>>

/**
 * Units of work on PostgreSQL: each in a transaction of its own, several at once, bulk ones never on all connections. A unit
 * that met a deadlock or a serialization failure is run again from its start.
 */
export class PostgresWriter<Tx> {
  private readonly pool: PostgresPool
  private readonly options: PostgresWriterOptions<Tx>
  private readonly interactive: WaitingUnit[] = []
  private readonly bulk: WaitingUnit[] = []
  private readonly running = new Set<Promise<void>>()
  private readonly clock = new DatabaseClock()
  private readonly short: ShortWriter<Tx> | undefined
  private readonly shortRunning = new Set<Promise<unknown>>()
  private bulkRunning = 0
  private isClosed = false

  constructor(pool: PostgresPool, options: PostgresWriterOptions<Tx>) {
    this.pool = pool
    this.options = options
    this.short = options.short?.(this.clock)
  }

  /** @see Store.write */
  async write<T>(work: Work<Tx, T>, weight: Weight, about?: UnitSubject): Promise<T> {
    if (about?.isLong === true) return await this.inTransaction(work, weight, about)
    const done = about === undefined || this.isClosed ? undefined : await this.inShort(work, about)
    if (done !== undefined) return done.answer
    requireProven(about?.remembered)
    return await this.inTransaction(work, weight)
  }

  private async inShort<T>(work: Work<Tx, T>, about: UnitSubject): Promise<ShortAnswer<T> | undefined> {
    const written = this.short?.write(work, about)
    if (written === undefined) return undefined
    this.shortRunning.add(written)
    try {
      const done = await written
      if (done !== undefined && !done.isNumbered) this.options.onFeed()
      return done
    } catch (thrown) {
      throw toldOf(thrown)
    } finally {
      this.shortRunning.delete(written)
    }
  }

  /** @param about  of a long unit. @throws `UnprovenCaller` */
  private inTransaction<T>(work: Work<Tx, T>, weight: Weight, about?: UnitSubject): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.isClosed) {
        reject(new AppError('unavailable', 'The store is closed.'))
        return
      }
      const run = (): Promise<void> => this.attempt(work, about).then(resolve, (thrown) => reject(toldOf(thrown)))
      const queue = weight === 'bulk' ? this.bulk : this.interactive
      queue.push({ run, weight })
      this.start()
    })
  }

  /** Waits for all units, then refuses further ones. */
  async close(): Promise<void> {
    this.isClosed = true
    await Promise.allSettled(this.shortRunning)
    while (this.running.size > 0) await Promise.all(this.running)
  }

  private start(): void {
    while (this.running.size < UNITS_AT_ONCE) {
      const unit = this.interactive.shift() ?? (this.bulkRunning < BULK_AT_ONCE ? this.bulk.shift() : undefined)
      if (unit === undefined) return
      if (unit.weight === 'bulk') this.bulkRunning++
      const done = unit.run().then(() => {
        this.running.delete(done)
        if (unit.weight === 'bulk') this.bulkRunning--
        this.start()
      })
      this.running.add(done)
    }
  }

  private async attempt<T>(work: Work<Tx, T>, about: UnitSubject | undefined): Promise<T> {
    let wasSet = false
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.transact(work, { about, isAsking: wasSet })
      } catch (thrown) {
        wasSet = thrown instanceof ClockWasSet
        if (wasSet) continue
        if (thrown instanceof UnprovenCaller) throw thrown
        if (!isRetryable(thrown) || attempt === ATTEMPTS) throw mapPostgresError(thrown)
        // Those that met must not meet again at the same time.
        await Bun.sleep(Math.random() * 2 ** attempt)
      }
    }
  }

  private async transact<T>(work: Work<Tx, T>, how: Transacting): Promise<T> {
    const connection = await this.pool.reserve()
    // Not those of the record: of their many commits one pass numbers several.
    const transaction = new PostgresTransaction(connection, how.about?.isLong === true)
    try {
      const value = await this.unitOf(transaction, work, how)
      if (transaction.leavesUnnumbered) this.options.onFeed()
      return value
    } catch (thrown) {
      await transaction.rollback()
      throw thrown
    } finally {
      connection.release()
    }
  }

  private async unitOf<T>(
    transaction: PostgresTransaction,
    work: Work<Tx, T>,
    { isAsking, about }: Transacting,
  ): Promise<T> {
    const estimate = isAsking ? undefined : this.clock.estimate(performance.now())
    const begun = transaction.begin()
    // Its waiter hears of it; a unit that fails on its own does not.
    begun.catch(() => {})
    const token = about?.remembered
    const proven = token === undefined || token.isGood ? undefined : prove(transaction, token)
    proven?.catch(() => {})
    const scope = new UnitScope()
    const guarded: UnitExecutor = {
      execute: async (text, parameters) => {
        scope.assertOpen()
        return await scope.track(transaction.execute(text, parameters))
      },
      send(text, parameters) {
        scope.assertOpen()
        return scope.track(transaction.send(text, parameters))
      },
    }
    if (estimate === undefined) this.clock.read(await begun)
    const tx = this.options.transaction(guarded, scope, estimate ?? (await begun).now)
    return await scope.run(async () => {
      let ended: Ended<T>
      try {
        ended = await work(tx)
      } catch (thrown) {
        // Only a caller with a good token learns why.
        if (proven !== undefined) await scope.track(proven)
        throw thrown
      }
      scope.assertFinished()
      if (proven !== undefined) {
        await scope.track(proven)
        requireProven(token)
      }
      if (estimate !== undefined && !this.clock.confirms(estimate, await scope.track(begun))) throw new ClockWasSet()
      const answer = answerOf(ended)
      // An answer that is there already is no promise; one that is not is behind the commit's question.
      const [value] = await Promise.all([answer, scope.track(transaction.commit())])
      return value
    })
  }
}

/** The error for the caller of a unit that was not done. */
const toldOf = (thrown: unknown): Error => (thrown instanceof UnprovenCaller ? thrown : toAppError(thrown))

/** The database's clock is not where it was: the unit is run again, and asks first. */
class ClockWasSet extends Error {}
