import { isAppError } from '../../domain/errors'
import type { AttemptId } from '../../domain/ids'
import type { Assignment, Command, PollAnswer, PollInput } from '../../domain/task/worker-protocol'
import type { Logger } from '../../util/log'
import { bootMs } from '../../util/process/boot-clock'
import { isPassing } from '../output/spool-uploader'
import { Backoff, pause } from './backoff'

export interface PollLoopOptions {
  poll(input: Omit<PollInput, 'bootId'>, signal: AbortSignal): Promise<PollAnswer>
  /** The token was refused. @throws what ends the worker */
  rejoin(signal: AbortSignal): Promise<void>
  /** Live attempts here. */
  attempts(): PollInput['attempts']
  /** Attempts that could begin now. */
  capacity(): number
  /** @param sentAt  when the poll was sent that brought it: its lease began later */
  onAssignment(assignment: Assignment, sentAt: number): void
  onCommand(command: Command): void
  /** Another's, or over. */
  onLost(attempt: AttemptId): void
  /**
   * The server acknowledged that it renewed these leases, by a poll that was sent at `sentAt`. Nothing else is a renewal: not that
   * nobody answers, not an answer that says something else, not a join.
   */
  onRenewed(answer: Pick<PollAnswer, 'renewed' | 'leaseMs' | 'serverInstance' | 'epoch'>, sentAt: number): void
  leaseMs: number
  log: Logger
  /** Milliseconds that go on while the machine sleeps. Default `bootMs`. */
  now?: () => number
}

/** A poll that is not answered this long after its time is given up: the server hangs, or the connection is half open. */
const OVERDUE_MS = 5_000
/** A poll waits no longer for something to do: an agent that is not heard of for 15 s is away. */
const MAX_WAIT_MS = 5_000
const REPEAT_MS = 200

/**
 * One poll after another: each renews the leases, takes what there is to take, and brings commands. There is always one at the
 * server, so what happens there is heard at once.
 */
export class PollLoop {
  readonly #options: PollLoopOptions
  readonly #stopped = new AbortController()
  readonly #backoff = new Backoff()
  readonly #now: () => number
  #current: { abort: AbortController; capacity: number } | null = null
  #leaseMs: number
  /** When the last poll was sent that was acknowledged. */
  #ackedAt: number
  #isAway = false
  /** What the last answer brought: it is said again until it is done. */
  #lastSaid = ''

  constructor(options: PollLoopOptions) {
    this.#options = options
    this.#leaseMs = options.leaseMs
    this.#now = options.now ?? bootMs
    this.#ackedAt = this.#now()
  }

  /** Whether an answer is missing that should have come. */
  get isSilent(): boolean {
    return this.#isAway || this.#now() - this.#ackedAt > this.#leaseMs / 2
  }

  /** Resolves after `stop`; rejects when the worker can't go on. */
  async run(): Promise<void> {
    const { signal } = this.#stopped
    while (!signal.aborted) {
      const capacity = Math.max(0, this.#options.capacity())
      const abort = new AbortController()
      this.#current = { abort, capacity }
      const sentAt = this.#now()
      try {
        const answer = await this.#poll(capacity, abort)
        this.#ackedAt = sentAt
        this.#leaseMs = answer.leaseMs
        this.#backoff.reset()
        if (this.#isAway) this.#options.log.info('the server responds again')
        this.#isAway = false
        this.#take(answer, sentAt)
        if (this.#isRepeat(answer)) await pause(REPEAT_MS, abort.signal)
      } catch (error) {
        if (!signal.aborted && !abort.signal.aborted) await this.#fail(error)
      } finally {
        this.#current = null
      }
    }
  }

  /** Capacity or attempts changed: a poll that could take nothing is asked again at once. One that could is left: what it brings must not be lost. */
  wake(): void {
    if (this.#current?.capacity === 0) this.#current.abort.abort()
  }

  /** Nothing more is to be taken: the server gives back what it had just given. */
  interrupt(): void {
    this.#current?.abort.abort()
  }

  /** The machine slept, or this process stood still: what is under way may be answered late or never, so a new poll asks at once. */
  hurry(): void {
    this.#current?.abort.abort()
  }

  stop(): void {
    this.#stopped.abort()
  }

  async #poll(capacity: number, abort: AbortController): Promise<PollAnswer> {
    // An answer counts from when it was asked for. So that one may be lost before anything stands still, it comes each quarter; when
    // it is late already it comes at once.
    const isLate = this.#now() - this.#ackedAt > this.#leaseMs / 2
    const waitMs = isLate ? 0 : Math.min(MAX_WAIT_MS, Math.floor(this.#leaseMs / 4))
    const overdue = AbortSignal.timeout(waitMs + Math.min(OVERDUE_MS, this.#leaseMs / 5))
    const signal = AbortSignal.any([abort.signal, overdue, this.#stopped.signal])
    return this.#options.poll({ capacity, attempts: this.#options.attempts(), waitMs }, signal)
  }

  #take(answer: PollAnswer, sentAt: number): void {
    const { assignments, commands, lost } = answer
    this.#options.onRenewed(answer, sentAt)
    for (const attempt of lost) this.#options.onLost(attempt)
    for (const assignment of assignments) this.#options.onAssignment(assignment, sentAt)
    for (const command of commands) this.#options.onCommand(command)
  }

  /** Nothing but what was said before: the answer came at once, and so would the next one. */
  #isRepeat({ assignments, commands, lost }: PollAnswer): boolean {
    const content = JSON.stringify([assignments.map((each) => each.attemptId), commands])
    const isRepeat = lost.length === 0 && assignments.length + commands.length > 0 && content === this.#lastSaid
    this.#lastSaid = content
    return isRepeat
  }

  async #fail(error: unknown): Promise<void> {
    const { log } = this.#options
    const code = isAppError(error) ? error.code : null
    // `not_found`: another database stands behind the address now.
    if (code === 'unauthorized' || code === 'forbidden' || code === 'not_found') {
      log.warn('the server no longer knows this worker; joining again', { error })
      await this.#options.rejoin(this.#stopped.signal)
      return
    }
    if (!isPassing(error)) throw error
    if (!this.#isAway) log.warn('the server does not respond; runs are paused when their leases end', { error })
    this.#isAway = true
    await pause(this.#backoff.next(), this.#stopped.signal)
  }
}
