import type { Logger } from '../../util/log'
import { within } from '../link/backoff'
import { Guard, type GuardedOptions, type GuardedProcess, spawnGuarded } from './guarded-process'

/** A run that begins has the machine for itself: the next guard is started this long after it, or when it is over. */
const AFTER_START_MS = 1_000
/** For the guard of a run that is over to be gone. */
const GONE_MS = 1_000

export interface GuardsOptions {
  lode: readonly string[]
  env: Readonly<Record<string, string | undefined>>
  log: Logger
  /** Whether there will be another run. */
  goesOn: boolean
}

/**
 * Starts runs under guards, and keeps one guard started for the next, which then need not wait for it. The one that waits knows nothing
 * of a run, and ends with this process as any other.
 */
export class Guards {
  readonly #options: GuardsOptions
  #waiting: Promise<Guard | null> | null = null
  #timer: ReturnType<typeof setTimeout> | undefined
  #isClosed = false
  /** Ends of guards: a run is over a moment before its guard is gone. */
  readonly #alive = new Set<Promise<unknown>>()

  constructor(options: GuardsOptions) {
    this.#options = options
  }

  /** @see spawnGuarded */
  readonly spawn = async (options: GuardedOptions): Promise<GuardedProcess> => {
    const waiting = this.#waiting
    this.#waiting = null
    const guard = (await waiting) ?? null
    try {
      const run = await spawnGuarded(options, guard?.isOver === false ? guard : null)
      this.#alive.add(run.exited)
      void run.exited.finally(() => this.#alive.delete(run.exited))
      return run
    } catch (error) {
      // It may not know of a program yet.
      guard?.channel.close()
      throw error
    } finally {
      clearTimeout(this.#timer)
      this.#timer = setTimeout(() => this.prepareNext(), AFTER_START_MS)
      this.#timer.unref()
    }
  }

  /** A run is over: another one may begin. */
  prepareNext(): void {
    clearTimeout(this.#timer)
    if (this.#options.goesOn && !this.#isClosed) this.prepare()
  }

  /** Ends the one that waits, and waits for those whose runs are over. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    const guard = await this.#waiting
    guard?.process.kill('SIGKILL')
    await guard?.process.exited
    await within(Promise.all(this.#alive), GONE_MS)
  }

  /** Starts the one that waits. */
  prepare(): void {
    const { lode, env, log } = this.#options
    this.#waiting ??= Guard.start(lode, ['--wait'], { PATH: env.PATH ?? '' }).catch((error: unknown) => {
      log.warn('a guard could not be started in advance', { error })
      return null
    })
  }
}
