import { AppError, toAppError } from '../../domain/errors'
import { UnitScope } from '../sql/unit-scope'
import type { Weight } from '../sql/write-gate'
import type { PostgresExecutor } from './postgres-connection'
import { isRetryable, mapPostgresError } from './postgres-errors'
import type { PostgresPool } from './postgres-pool'

/** Units that run at once; the pool's other connections are for reads. */
const UNITS_AT_ONCE = 6
/** Bulk units that run at once: interactive ones always find a connection. */
const BULK_AT_ONCE = 3
/** The database's clock: a unit's time, whatever the clocks of servers say. */
const CLOCK = 'select (extract(epoch from clock_timestamp()) * 1000)::bigint as now'
/** A unit that met a deadlock is run so often in all. */
const ATTEMPTS = 8

export interface PostgresWriterOptions<Tx> {
  /** Makes the unit's view of the database. */
  transaction: (executor: PostgresExecutor, scope: UnitScope, now: number) => Tx
  /** Called after each commit. */
  onCommit: () => void
}

interface WaitingUnit {
  run: () => Promise<void>
  weight: Weight
}

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
  private bulkRunning = 0
  private isClosed = false

  constructor(pool: PostgresPool, options: PostgresWriterOptions<Tx>) {
    this.pool = pool
    this.options = options
  }

  /** @see Store.write */
  write<T>(work: (tx: Tx) => T | Promise<T>, weight: Weight): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.isClosed) {
        reject(new AppError('unavailable', 'The store is closed.'))
        return
      }
      const run = (): Promise<void> => this.attempt(work).then(resolve, (thrown) => reject(toAppError(thrown)))
      const queue = weight === 'bulk' ? this.bulk : this.interactive
      queue.push({ run, weight })
      this.start()
    })
  }

  /** Waits for all units, then refuses further ones. */
  async close(): Promise<void> {
    this.isClosed = true
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

  private async attempt<T>(work: (tx: Tx) => T | Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.transact(work)
      } catch (thrown) {
        if (!isRetryable(thrown) || attempt === ATTEMPTS) throw mapPostgresError(thrown)
        // Those that met must not meet again at the same time.
        await Bun.sleep(Math.random() * 2 ** attempt)
      }
    }
  }

  private async transact<T>(work: (tx: Tx) => T | Promise<T>): Promise<T> {
    const value = await this.pool.begin(
      async (executor, [clock]) => {
        const scope = new UnitScope()
        const guarded: PostgresExecutor = {
          execute: async (text, parameters) => {
            scope.assertOpen()
            return await scope.track(executor.execute(text, parameters))
          },
        }
        const tx = this.options.transaction(guarded, scope, Number(clock?.[0]?.now))
        return await scope.run(() => work(tx))
      },
      [CLOCK],
    )
    this.options.onCommit()
    return value
  }
}
