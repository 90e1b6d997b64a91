import type { ClockReading } from './postgres-transaction'

/** Milliseconds by which a clock may be off what its last readings say before it counts as set anew. */
const SLACK_MS = 50
/** Two clocks of computers drift apart by less than a millisecond in this many. */
const DRIFT_MS = 1_000

/**
 * What the database's clock says now, without asking it: units get the database's time, and asking for it would cost each of them a round
 * trip before its first statement. Each unit reads the clock beside its first statement all the same, which proves the estimate.
 *
 * The estimate is never ahead of the clock: a reading is taken to be as old as it can be.
 */
export class DatabaseClock {
  /** Milliseconds to add to `performance.now()`, as one reading has it, and how much more they may be. */
  private best: { offset: number; width: number; at: number } | undefined
  private last = 0

  /** @param at  milliseconds, of `performance.now()` @returns `undefined` when it was never read */
  estimate(at: number): number | undefined {
    if (this.best === undefined) return undefined
    // Time never goes back within a process.
    this.last = Math.max(this.last, Math.floor(at + this.best.offset))
    return this.last
  }

  /** Learns from a reading. */
  read({ now, askedAt, answeredAt }: ClockReading): void {
    const width = answeredAt - askedAt
    const drift = this.best === undefined ? 0 : (answeredAt - this.best.at) / DRIFT_MS
    if (this.best === undefined || width <= this.best.width + drift)
      this.best = { offset: now - answeredAt, width, at: answeredAt }
  }

  /** Whether the clock can have said `estimate` when it was asked. If not, it was set, or the machine slept: it is learnt anew. */
  confirms(estimate: number, reading: ClockReading): boolean {
    const late = reading.answeredAt - reading.askedAt
    const isNear = reading.now >= estimate - SLACK_MS && reading.now <= estimate + late + this.width + SLACK_MS
    if (!isNear) {
      this.best = undefined
      this.last = 0
    }
    this.read(reading)
    return isNear
  }

  private get width(): number {
    return this.best?.width ?? 0
  }
}
