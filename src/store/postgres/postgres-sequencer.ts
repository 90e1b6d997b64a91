import type { PostgresPool } from './postgres-pool'

/** The channel on which `number_feed` says that the feed grew. The payload is empty: readers read on from their cursor. */
export const FEED_CHANNEL = 'lodeline_feed'

/** Rows numbered in one transaction. */
export const ROWS_OF_PASS = 5_000
/**
 * Milliseconds from one pass to the next: what is committed meanwhile is numbered at once, and wakes readers once. Also until it is looked
 * again whether another process, which was at it, missed our rows.
 */
const INTERVAL_MS = 5

/**
 * The same after another server did it once, and again: that server, or a statement of ours that numbers as well, mostly takes our rows
 * along. Several servers that look each five milliseconds keep one another from it.
 */
const REFUSED_MS = [INTERVAL_MS, 2 * INTERVAL_MS, 4 * INTERVAL_MS] as const

/** See the migration `feed-numbering`. */
export const NUMBER_ROWS = `select number_feed(${ROWS_OF_PASS}) as count`

/** Whether a pass that numbered this many rows left none that were committed when it began; -1 = somebody else was at it. */
export const isWholePass = (count: number): boolean => count >= 0 && count < ROWS_OF_PASS

/**
 * Gives committed rows of the feed their numbers: dense, growing, each once.
 *
 * Writers insert rows without a number, since rows become visible in another order than they were inserted in: a cursor
 * over ids would skip those that commit late. The holder of the lock on `feed_position` numbers what is committed and
 * notifies. Any process may do it, several may try at once; one that finds the lock taken looks again until nothing is left.
 */
export class PostgresSequencer {
  private readonly pool: PostgresPool
  private readonly onError: (thrown: unknown) => void
  private running: Promise<void> | undefined
  private isWanted = false
  private wantedAt = 0
  private isClosing = false
  private isClosed = false
  private lastPassAt = Number.NEGATIVE_INFINITY
  /** Passes, one after another, at which somebody else was at it. */
  private refused = 0

  /** @param onError  told of failed passes; the next wake-up tries again. */
  constructor(pool: PostgresPool, onError: (thrown: unknown) => void) {
    this.pool = pool
    this.onError = onError
  }

  /** Numbers what is committed by now, soon. */
  wake(): void {
    if (this.isClosed) return
    this.isWanted = true
    this.wantedAt = performance.now()
    this.running ??= this.run().finally(() => {
      this.running = undefined
      if (this.isWanted) this.wake()
    })
  }

  /**
   * There was a pass in a statement that did something else. If it left nothing, all that was committed when it was asked for has its
   * numbers, and a pass for that is not made.
   *
   * @param askedAt  of `performance.now()`
   */
  passed(askedAt: number, isWhole: boolean): void {
    this.lastPassAt = performance.now()
    this.noteRefusal(!isWhole)
    if (isWhole && this.wantedAt < askedAt) this.isWanted = false
  }

  async close(): Promise<void> {
    this.isClosing = true
    // Rows of ours that others would have to number are numbered first.
    await this.running
    this.isClosed = true
  }

  private async run(): Promise<void> {
    while (this.isWanted) {
      try {
        await this.rest()
        if (!this.isWanted) return
        this.isWanted = false
        // Until nothing is left, by this pass or another's.
        if (await this.pass()) this.isWanted = true
      } catch (thrown) {
        this.isWanted = false
        this.onError(thrown)
        return
      }
    }
  }

  /** The first pass after a while waits for nothing, nor does the last one. */
  private async rest(): Promise<void> {
    const interval = REFUSED_MS[this.refused] ?? INTERVAL_MS
    const left = this.lastPassAt + interval - performance.now()
    if (left > 0 && !this.isClosing) await Bun.sleep(left)
  }

  /** One transaction. True when there may be more to number. */
  private async pass(): Promise<boolean> {
    this.lastPassAt = performance.now()
    const { rows } = await this.pool.execute(NUMBER_ROWS, [])
    const count = Number(rows[0]?.count)
    this.noteRefusal(count < 0)
    return !isWholePass(count)
  }

  private noteRefusal(isRefused: boolean): void {
    this.refused = isRefused ? Math.min(this.refused + 1, REFUSED_MS.length - 1) : 0
  }
}
