import { bootMs } from '../../util/process/boot-clock'

/** How long a run was paused by its guard. Paused time does not count against the run. */
export class PausedTime {
  readonly #clock: () => number
  #since: number | null = null
  #beforeMs = 0

  constructor(clock: () => number = bootMs) {
    this.#clock = clock
  }

  /** @param at  a time of the clock: the report may arrive late */
  begin(at: number): void {
    this.#since ??= at
  }

  /** @returns the length of this pause in milliseconds */
  end(at: number): number {
    const ms = this.#since === null ? 0 : Math.max(0, at - this.#since)
    this.#beforeMs += ms
    this.#since = null
    return ms
  }

  get isNow(): boolean {
    return this.#since !== null
  }

  /** In all, in milliseconds. */
  get ms(): number {
    return this.#beforeMs + (this.#since === null ? 0 : Math.max(0, this.#clock() - this.#since))
  }
}
