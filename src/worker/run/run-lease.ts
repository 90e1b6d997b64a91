import type { AttemptId } from '../../domain/ids'
import { type LeaseTimes, leaseTimes } from '../../domain/task/lease'
import { bootMs } from '../../util/process/boot-clock'
import { pause } from '../link/backoff'
import type { WorkerOptions } from '../options'
import type { GuardedOptions, GuardedProcess } from './guarded-process'
import { PausedTime } from './paused-time'

/** Between two looks whether the lease was renewed, of a run that may not begin. */
const LEASE_LOOK_MS = 100

/**
 * Until when an attempt's run may act. The guard of the run keeps that time, and says here when it pauses the run and lets it
 * go on; before there is a process, the attempt asks.
 */
export class RunLease {
  /** The time that the run stood still. */
  readonly still = new PausedTime()
  readonly #attemptId: AttemptId
  readonly #log: WorkerOptions['log']
  readonly #say: (text: string) => void
  /** As the server last said. */
  #leaseMs: number
  /** By the last renewal that was acknowledged. */
  #renewed: LeaseTimes
  /** The same, or later while the lease stands still. */
  #limits: LeaseTimes
  #process: Pick<GuardedProcess, 'renewed' | 'held'> | null = null

  /**
   * @param sentAt  when the poll was sent that brought the attempt
   * @param say     writes in the task's log
   */
  constructor(
    { attemptId, leaseMs }: { attemptId: AttemptId; leaseMs: number },
    sentAt: number,
    log: WorkerOptions['log'],
    say: (text: string) => void,
  ) {
    this.#attemptId = attemptId
    this.#log = log
    this.#say = say
    this.#leaseMs = leaseMs
    this.#renewed = leaseTimes(sentAt, leaseMs)
    this.#limits = this.#renewed
  }

  /** The server acknowledged that it renewed the lease, by a poll that was sent at `sentAt`. */
  renewed(sentAt: number, leaseMs: number): void {
    this.#leaseMs = leaseMs
    this.#renewed = leaseTimes(sentAt, leaseMs)
    this.#limits = this.#renewed
    this.#process?.renewed(this.#renewed)
  }

  /** It is proven that no lease can end before a full length from `at` on. What is over is over. */
  held(at: number): void {
    if (at >= this.#limits.overAt) return
    this.#limits = leaseTimes(at, this.#leaseMs)
    this.#process?.held(this.#limits)
  }

  /** Nothing has begun, and nothing may any more. */
  isTooLateToBegin(now: number): boolean {
    return this.#process === null && now >= this.#limits.overAt
  }

  /**
   * A run must not begin when it would have to stand still: the answer that gave it may be old, or the server away.
   *
   * @throws when the signal aborts first
   */
  async mayAct(signal: AbortSignal): Promise<void> {
    while (bootMs() >= this.#limits.freezeAt && !signal.aborted) await pause(LEASE_LOOK_MS, signal)
    if (signal.aborted) throw new Error('The run was halted before it began.')
  }

  /** Starts a process under this lease. */
  async guard<T extends { process: GuardedProcess }>(
    launch: (fence: Pick<GuardedOptions, 'limits' | 'onFrozen' | 'onThawed'>) => Promise<T>,
  ): Promise<T> {
    const limits = this.#limits
    const launched = await launch({
      limits,
      onFrozen: (count, at) => this.#frozen(count, at),
      onThawed: (count, at) => this.#thawed(count, at),
    })
    this.#process = launched.process
    // What came while it started.
    if (this.#limits !== limits) {
      if (this.#limits === this.#renewed) launched.process.renewed(this.#limits)
      else launched.process.held(this.#limits)
    }
    return launched
  }

  #frozen(count: number, at: number): void {
    this.still.begin(at)
    const processes = count === 1 ? 'its process was' : `its ${count} processes were`
    this.#say(`the server did not renew the lease: ${processes} paused until it does`)
    this.#log.warn('a run was paused: the server did not renew its lease', {
      attempt: this.#attemptId,
      processes: count,
    })
  }

  #thawed(count: number, at: number): void {
    const ms = this.still.end(at)
    const processes = count === 1 ? 'its process continues' : `its ${count} processes continue`
    this.#say(`the lease was renewed: ${processes} after ${Math.round(ms / 100) / 10} s`)
    this.#log.info('a run continues: its lease was renewed', {
      attempt: this.#attemptId,
      processes: count,
      stoodStillMs: Math.round(ms),
    })
  }
}
