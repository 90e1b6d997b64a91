import type { SQL } from 'bun'
import { FEED_CHANNEL } from './postgres-sequencer'

/** How often rows that a crashed process left without a number are looked for while somebody listens. */
const SWEEP_MS = 5_000

/**
 * Wakes readers of the feed when the sequencer of any process says that it grew, and after every (re)connection: what was
 * said meanwhile is found by reading on from the cursor.
 */
export class PostgresWake {
  private readonly pool: SQL
  private readonly sweep: () => void
  private readonly listeners = new Set<() => void>()
  private subscription: Promise<SQL.ListenSubscription | undefined> | undefined
  private timer: ReturnType<typeof setInterval> | undefined

  /** @param sweep  numbers rows that were left without a number. */
  constructor(pool: SQL, sweep: () => void) {
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
    if (this.subscription !== undefined) return
    const wake = (): void => this.wake()
    const subscription = this.pool.listen(FEED_CHANNEL, wake, wake).catch(() => {
      // The server is away. The next sweep tries again.
      if (this.subscription === subscription) this.subscription = undefined
      return undefined
    })
    this.subscription = subscription
    if (this.timer !== undefined) return
    this.timer = setInterval(() => {
      this.sweep()
      if (this.listeners.size > 0) this.listen()
    }, SWEEP_MS)
    this.timer.unref()
    this.sweep()
  }

  private async stop(): Promise<void> {
    clearInterval(this.timer)
    this.timer = undefined
    const subscription = this.subscription
    this.subscription = undefined
    await (await subscription)?.unlisten()
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
