import { AppError, toAppError } from '../../domain/errors'
import { answerOf, type Ended } from '../../domain/last-read'
import { UnitScope } from '../sql/unit-scope'
import type { Weight, WriteGate } from '../sql/write-gate'
import type { SqliteConnection } from './sqlite-connection'
import { isBusy, mapSqliteError } from './sqlite-errors'
import { findLockHolder } from './sqlite-file'

/** A group ends after this many units or this much time, whichever is first: nobody waits long behind it. */
const GROUP_UNITS = 64
const GROUP_MS = 8
/** A group of bulk units alone: each commit is a wait for the disk, and nobody else waits (see `isWanted`). */
const BULK_GROUP_MS = 24
/** After this many groups of bulk units (some 2 MB each) the WAL is copied to the database, before a COMMIT must do it. */
const CHECKPOINT_GROUPS = 6

/** What units see of the database, and what waits beside it until their group is committed. */
export interface UnitViews<Tx> {
  /** Makes the unit's view; `now` is the unit's one time. */
  open(scope: UnitScope, now: number): Tx
  /** Where what waits stands before a unit. */
  mark(): number
  /** The unit is rolled back: what it left waiting goes. */
  undo(mark: number): void
  /** Writes what waits. */
  beforeCommit(): void
}

export interface SqliteWriterOptions<Tx> {
  views: UnitViews<Tx>
  /** Milliseconds that a unit waits for a foreign lock before it fails with `unavailable`. */
  busyTimeoutMs: number
  /** Called after each commit that kept at least one unit. */
  onCommit: () => void
  /** Turns among the threads of this process. */
  gate?: WriteGate
}

interface WaitingUnit<Tx> {
  work: (tx: Tx) => unknown
  weight: Weight
  queuedAt: number
  resolve: (value: unknown) => void
  reject: (error: AppError) => void
}

interface RanUnit<Tx> {
  unit: WaitingUnit<Tx>
  value: unknown
}

/**
 * The one writer of a process's (or thread's) SQLite connection: group commit.
 *
 * Units run strictly one after another inside one `BEGIN IMMEDIATE`, each in its own savepoint; a unit that fails is rolled
 * back alone; all others resolve after COMMIT, when they are durable. When COMMIT fails, all of its group fail. Units never
 * interleave: rolling back one savepoint would undo what another had done and acknowledged.
 */
export class SqliteWriter<Tx> {
  private readonly connection: SqliteConnection
  private readonly options: SqliteWriterOptions<Tx>
  private readonly interactive: WaitingUnit<Tx>[] = []
  private readonly bulk: WaitingUnit<Tx>[] = []
  private pumping: Promise<void> | undefined
  private isClosed = false
  private bulkGroups = 0

  constructor(connection: SqliteConnection, options: SqliteWriterOptions<Tx>) {
    this.connection = connection
    this.options = options
  }

  /** @see Store.write */
  write<T>(unit: (tx: Tx) => Ended<T> | Promise<Ended<T>>, weight: Weight): Promise<T> {
    const work = (tx: Tx): T | Promise<T> => answerOf(unit(tx))
    return new Promise<T>((resolve, reject) => {
      if (this.isClosed) return reject(new AppError('unavailable', 'The store is closed.'))
      const queue = weight === 'bulk' ? this.bulk : this.interactive
      queue.push({ work, weight, queuedAt: performance.now(), resolve: resolve as (value: unknown) => void, reject })
      this.pumping ??= this.pump()
    })
  }

  /** Runs what is queued, then refuses further units. The connection stays open. */
  async close(): Promise<void> {
    this.isClosed = true
    await this.pumping
  }

  private async pump(): Promise<void> {
    // Whoever queues in this same turn of microtasks shares the first group.
    await undefined
    while (this.interactive.length + this.bulk.length > 0) {
      try {
        if (await this.begin()) await this.runGroup()
      } catch (thrown) {
        // The connection itself is broken; its waiters learn why.
        this.rejectQueued(mapSqliteError(thrown, this.connection.path))
      }
      // Between two groups the loop serves everything else, and those just acknowledged queue their next unit.
      await new Promise((resolve) => setImmediate(resolve))
    }
    this.pumping = undefined
  }

  /** Takes the write lock. False when nobody waits for it any longer. */
  private async begin(): Promise<boolean> {
    let blockedAt: number | undefined
    for (let waitMs = 1; ; waitMs = Math.min(waitMs + 1, 3)) {
      await this.options.gate?.acquire(this.interactive.length > 0 ? 'interactive' : 'bulk')
      try {
        this.connection.statement('begin immediate').run()
        return true
      } catch (thrown) {
        this.options.gate?.release()
        if (!isBusy(thrown)) throw thrown
        blockedAt ??= performance.now()
        this.rejectOverdue(blockedAt, thrown)
        if (this.interactive.length + this.bulk.length === 0) return false
        await Bun.sleep(waitMs)
      }
    }
  }

  private async runGroup(): Promise<void> {
    const ran: RanUnit<Tx>[] = []
    const startedAt = performance.now()
    try {
      for (let count = 1; ; count++) {
        const unit = this.interactive.shift() ?? this.bulk.shift()
        if (unit === undefined) break
        const outcome = this.runUnit(unit)
        const done = outcome instanceof Promise ? await outcome : outcome
        if (done === 'lost') {
          this.loseGroup(ran)
          return
        }
        if (done !== undefined) ran.push(done)
        const limitMs = unit.weight === 'bulk' && this.interactive.length === 0 ? BULK_GROUP_MS : GROUP_MS
        if (count >= GROUP_UNITS || performance.now() - startedAt >= limitMs) break
        if (this.interactive.length === 0 && this.options.gate?.isWanted === true) break
      }
      this.commit(ran)
      if (ran.at(-1)?.unit.weight === 'bulk') this.bulkGroups++
    } finally {
      this.options.gate?.release()
    }
    if (this.bulkGroups >= CHECKPOINT_GROUPS) this.checkpoint()
  }

  /**
   * Copies the WAL to the database, as far as readers allow. It needs no write lock: other threads' writers go on meanwhile,
   * which a checkpoint inside COMMIT would not let them.
   */
  private checkpoint(): void {
    this.bulkGroups = 0
    try {
      this.connection.statement('pragma wal_checkpoint(passive)').all()
    } catch {
      // Another thread does it just now, or the disk is full, which the next COMMIT tells.
    }
  }

  /**
   * Runs one unit in its savepoint. `undefined` when it failed and was rolled back alone, `lost` when the database gave up the
   * whole transaction (no space, I/O error).
   */
  private runUnit(unit: WaitingUnit<Tx>): Promise<RanUnit<Tx> | 'lost' | undefined> | RanUnit<Tx> | 'lost' | undefined {
    this.connection.statement('savepoint unit').run()
    const scope = new UnitScope()
    const mark = this.options.views.mark()
    try {
      const tx = this.options.views.open(scope, Date.now())
      const value = scope.run(() => unit.work(tx))
      if (!(value instanceof Promise)) return this.keep(unit, value, mark)
      return value.then(
        (late) => this.keep(unit, late, mark),
        (thrown) => this.undo(unit, thrown, mark),
      )
    } catch (thrown) {
      return this.undo(unit, thrown, mark)
    }
  }

  private keep(unit: WaitingUnit<Tx>, value: unknown, mark: number): RanUnit<Tx> | 'lost' | undefined {
    try {
      this.connection.statement('release unit').run()
      return { unit, value }
    } catch (thrown) {
      return this.undo(unit, thrown, mark)
    }
  }

  private undo(unit: WaitingUnit<Tx>, thrown: unknown, mark: number): 'lost' | undefined {
    this.options.views.undo(mark)
    unit.reject(mapSqliteError(thrown, this.connection.path))
    try {
      if (!this.connection.inTransaction) return 'lost'
      this.connection.statement('rollback to unit').run()
      this.connection.statement('release unit').run()
      return undefined
    } catch {
      return 'lost'
    }
  }

  private commit(ran: RanUnit<Tx>[]): void {
    try {
      this.options.views.beforeCommit()
      this.connection.statement('commit').run()
    } catch (thrown) {
      this.loseGroup(ran, thrown)
      return
    }
    if (ran.length === 0) return
    this.options.gate?.committed()
    for (const { unit, value } of ran) unit.resolve(value)
    this.options.onCommit()
  }

  /** Nothing of this group is kept. */
  private loseGroup(ran: RanUnit<Tx>[], thrown?: unknown): void {
    this.options.views.undo(0)
    try {
      if (this.connection.inTransaction) this.connection.statement('rollback').run()
    } catch {
      // The next BEGIN tells what is wrong.
    }
    const error =
      thrown === undefined
        ? new AppError('unavailable', 'The transaction that held this unit was lost. Try again.')
        : mapSqliteError(thrown, this.connection.path)
    for (const { unit } of ran) unit.reject(error)
  }

  /** Fails the units that waited for a foreign lock for longer than they may. */
  private rejectOverdue(blockedAt: number, thrown: unknown): void {
    const now = performance.now()
    let error: AppError | undefined
    for (const queue of [this.interactive, this.bulk]) {
      for (let i = queue.length - 1; i >= 0; i--) {
        const unit = queue[i]
        if (unit === undefined || now - Math.max(unit.queuedAt, blockedAt) < this.options.busyTimeoutMs) continue
        queue.splice(i, 1)
        error ??= this.lockedError(thrown)
        unit.reject(error)
      }
    }
  }

  private lockedError(cause: unknown): AppError {
    const { path } = this.connection
    const holder = findLockHolder(path)
    const seconds = this.options.busyTimeoutMs / 1_000
    return new AppError('unavailable', `The database was locked for ${seconds} s by ${holder ?? 'another process'}.`, {
      hint: 'Try again, or end the process that holds it.',
      details: holder === undefined ? { path } : { path, holder },
      cause,
    })
  }

  private rejectQueued(error: AppError): void {
    for (const unit of [...this.interactive.splice(0), ...this.bulk.splice(0)]) unit.reject(toAppError(error))
  }
}
