import { isAppError } from '../domain/errors'
import type { AttemptId } from '../domain/ids'
import type { Assignment, Command, PollAnswer, PollInput } from '../domain/worker-protocol'
import type { Logger } from '../util/log'
import { Backoff, pause } from './backoff'
import { isPassing } from './spool-uploader'

export interface PollLoopOptions {
  poll(input: Omit<PollInput, 'bootId'>, signal: AbortSignal): Promise<PollAnswer>
  /** The token was refused. @throws what ends the worker */
  rejoin(signal: AbortSignal): Promise<void>
  /** Live attempts here. */
  attempts(): PollInput['attempts']
  /** Attempts that could begin now. */
  capacity(): number
  onAssignment(assignment: Assignment): void
  onCommand(command: Command): void
  /** Another's, or over. */
  onLost(attempt: AttemptId): void
  /** The server did not answer and gave no sign of being down for a whole lease: it may have given the attempts away. */
  onSilence(): void
  leaseMs: number
  log: Logger
  /** Milliseconds that never go back, and stand still while the machine sleeps or not: both are coped with. */
  now?: () => number
}

/** A poll that is not answered so long after its time is given up: the server hangs, or the connection is half open. */
const OVERDUE_MS = 3_000
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
  /** When the server was last known to renew, or not to be up (leases stand still then). */
  #soundAt: number
  #isAway = false
  /** What the last answer brought: it is said again until it is done. */
  #lastSaid = ''

  constructor(options: PollLoopOptions) {
    this.#options = options
    this.#leaseMs = options.leaseMs
    this.#now = options.now ?? (() => performance.now())
    this.#soundAt = this.#now()
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
        this.#soundAt = sentAt
        this.#leaseMs = answer.leaseMs
        this.#backoff.reset()
        if (this.#isAway) this.#options.log.info('the server is back')
        this.#isAway = false
        this.#take(answer)
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

  stop(): void {
    this.#stopped.abort()
  }

  async #poll(capacity: number, abort: AbortController): Promise<PollAnswer> {
    const waitMs = Math.min(30_000, Math.floor(this.#leaseMs / 3))
    const overdue = AbortSignal.timeout(waitMs + Math.min(OVERDUE_MS, this.#leaseMs / 3))
    const signal = AbortSignal.any([abort.signal, overdue, this.#stopped.signal])
    return this.#options.poll({ capacity, attempts: this.#options.attempts(), waitMs }, signal)
  }

  #take({ assignments, commands, lost }: PollAnswer): void {
    for (const attempt of lost) this.#options.onLost(attempt)
    for (const assignment of assignments) this.#options.onAssignment(assignment)
    for (const command of commands) this.#options.onCommand(command)
  }

  /** Nothing but what was said before: the answer came at once, and so would the next one. */
  #isRepeat({ assignments, commands, lost }: PollAnswer): boolean {
    const said = JSON.stringify([assignments.map((each) => each.attemptId), commands])
    const isRepeat = lost.length === 0 && assignments.length + commands.length > 0 && said === this.#lastSaid
    this.#lastSaid = said
    return isRepeat
  }

  async #fail(error: unknown): Promise<void> {
    const { log } = this.#options
    const code = isAppError(error) ? error.code : null
    // `not_found`: another database stands behind the address now.
    if (code === 'unauthorized' || code === 'forbidden' || code === 'not_found') {
      log.warn('the server does not know this worker any more; joining again', { error })
      await this.#options.rejoin(this.#stopped.signal)
      this.#soundAt = this.#now()
      return
    }
    if (!isPassing(error)) throw error
    if (!this.#isAway) log.warn('the server does not answer; what runs goes on', { error })
    this.#isAway = true
    // Leases stand still while no server is up; a connection that is refused tells that none is.
    if (isRefused(error)) this.#soundAt = this.#now()
    else if (this.#now() - this.#soundAt > this.#leaseMs) {
      this.#options.onSilence()
      this.#soundAt = this.#now()
    }
    await pause(this.#backoff.next(), this.#stopped.signal)
  }
}

/** Whether the other side said that nobody is there (refused, reset), as opposed to saying nothing. */
function isRefused(error: unknown): boolean {
  if (!isAppError(error)) return false
  // An answer that says so: the server ends, or its database is away.
  if (error.cause === undefined) return error.code !== 'internal'
  const { code } = error.cause as { code?: unknown }
  return (
    typeof code === 'string' && /REFUSED|RESET|ConnectionRefused|ConnectionReset|ConnectionClosed|EPIPE/i.test(code)
  )
}
