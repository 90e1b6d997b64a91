import type { Listening, PostgresPool } from './postgres-pool'
import { FEED_CHANNEL } from './postgres-sequencer'

/**
 * How often readers look by themselves while somebody listens: rows that a crashed process left without a number get one, and a
 * connection that is dead without having said so holds nobody up for longer.
 */
const FEED_LOOK_MS = 1_000

/**
 * Wakes readers of the feed when the sequencer of any process says that it grew, and after every (re)connection: what was
 * said meanwhile is found by reading on from the cursor.
 */
export class PostgresWake {
  private readonly pool: PostgresPool
  private readonly sweep: () => Promise<number>
  private readonly listeners = new Set<() => void>()
  private subscription: Promise<Listening | undefined> | undefined
  private timer: ReturnType<typeof setInterval> | undefined
  private looking = false
  /** Whether a notification came since the last look. */
  private hasHeard = false
  private head = -1
  private isDoubtful = false

  /**
   * @param pool  of sessions that last
   * @param sweep  has rows numbered that were left without a number, and tells the feed's last number
   */
  constructor(pool: PostgresPool, sweep: () => Promise<number>) {
    this.pool = pool
    this.sweep = sweep
  }

  /** @see FeedReads.onChange */
  subscribe(wake: () => void): () => void {
    const listener = (): void => wake()
    this.listeners.add(listener)
    this.listen()
    return () => {
      this.listeners.delete(listener)
      if (this.listeners.size === 0) void this.stop()
    }
  }

  async close(): Promise<void> {
    this.listeners.clear()
    await this.stop()
  }

  private listen(): void {
    this.connect()
    if (this.timer !== undefined) return
    this.timer = setInterval(() => void this.look(), FEED_LOOK_MS)
    this.timer.unref()
    void this.look()
  }

  private connect(): void {
    if (this.subscription !== undefined) return
    const heard = (): void => {
      this.hasHeard = true
      this.wake()
    }
    const subscription = this.pool.listen(FEED_CHANNEL, heard, () => forget()).catch(() => undefined)
    // The server is away. The next look tries again.
    const forget = (): void => {
      if (this.subscription === subscription) this.subscription = undefined
    }
    this.subscription = subscription
    void subscription.then((listening) => (listening === undefined ? forget() : this.wake()))
  }

  private async look(): Promise<void> {
    if (this.looking) return
    this.looking = true
    const wasHeard = this.hasHeard
    this.hasHeard = false
    try {
      const { head } = this
      this.head = await this.sweep()
      const hasGrown = head >= 0 && this.head !== head
      if (hasGrown && !wasHeard) this.wake()
      // It grew, nobody said so, and nobody has by now: the connection is dead, or there is none.
      if (this.isDoubtful && !wasHeard) await this.disconnect()
      this.isDoubtful = hasGrown && !wasHeard && !this.isDoubtful
    } catch {
      // The database is away: the next look finds what there is to find.
    } finally {
      this.looking = false
    }
    if (this.listeners.size > 0) this.connect()
  }

  private async stop(): Promise<void> {
    clearInterval(this.timer)
    this.timer = undefined
    this.head = -1
    await this.disconnect()
  }

  private async disconnect(): Promise<void> {
    const subscription = this.subscription
    this.subscription = undefined
    await (await subscription)?.stop()
  }

  private wake(): void {
    for (const listener of [...this.listeners]) {
      try {
        listener()
      } catch (thrown) {
        queueMicrotask(() => {
          throw thrown
        })
      }
    }
  }
}
