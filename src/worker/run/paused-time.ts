import { bootMs } from '../../util/process/boot-clock'

/** How long a run stood still, its guard having stopped it: no such time counts against it. */
export class PausedTime {
  readonly #clock: () => number
  #since: number | null = null
  #beforeMs = 0

  constructor(clock: () => number = bootMs) {
    this.#clock = clock
  }

  /** @param at  as the clock has it: what is told of it may come late */
  begin(at: number): void {
    this.#since ??= at
  }

  /** @returns for how many milliseconds it stood still this time */
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
