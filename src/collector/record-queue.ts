import { MINUTE_MS } from '../domain/time-units'
import { type Clock, systemClock } from './clock'
import { Fifo } from './fifo'

/** `live`: something just happened to the file. `backfill`: it was found, and may be old. */
export type Lane = 'live' | 'backfill'

export interface RecordQueueOptions {
  /** Files worked on at the same time. */
  concurrency: number
  /** Least milliseconds between the starts of two turns of one file. */
  spacingMs: number
  /** A file's turn. What it throws is tried again. */
  work(path: string): Promise<void>
  /**
   * Whether the file is other than its last turn saw it. Asked a little after a live turn: notifications of the system that
   * come too close to one another are dropped (`RECHECKS_MS`).
   */
  hasChanged(path: string): Promise<boolean>
  /** Whether what was thrown concerns all files (the database is away) or this one only. */
  isOutage(error: unknown): boolean
  /** Called once when an outage begins, and with `null` when it is over. */
  onOutage(error: unknown | null): void
  /** Called when one file's turn failed for the first time in a row. */
  onFailure(path: string, error: unknown): void
  clock?: Clock
}

/** First and longest pause after a failure, in milliseconds; doubled in between. */
const FIRST_RETRY_MS = 250
/** Recording goes on within five seconds of the server's return. */
const LONGEST_OUTAGE_RETRY_MS = 4_000
const LONGEST_FILE_RETRY_MS = 10 * MINUTE_MS
/**
 * Pauses in milliseconds after which a live file is looked at again, the first of them when its rest is over. The
 * notifications that Bun passes on leave out what happens to a file within about 2 ms of the last one told, now and then
 * within 20 ms (tried with 1.4.4). In a folder that was just made they may be lost for longer: its watch is not set up yet. The
 * last look finds what a busy writer added by then, which would else wait for the next scan.
 */
const RECHECKS_MS = [100, 2_000] as const
/** Live turns in a row after which a waiting file of the backfill gets one, so that it ends even on a busy machine. */
const LIVE_STREAK = 8

interface Entry {
  readonly path: string
  /**
   * `resting`: its turn is over, the next may not start yet. `checking`: it may, and the file is looked at in case it changed
   * unnoticed. `failed`: waits for its next try.
   */
  phase: 'waiting' | 'running' | 'resting' | 'checking' | 'failed'
  /** Which line it stands in while it waits. */
  lane: Lane
  /** Something happened since its turn began. */
  isDirty: boolean
  /** Asked for by the backfill and not done yet. */
  isOwed: boolean
  /** In a row. */
  failures: number
  /** Counts its turns, so that a check that comes late is known as such. */
  turn: number
  startedAt: number
  cancelTimer: (() => void) | null
}

/**
 * Gives each file that was asked for a turn: at once when there is room, never two turns of one file at the same time, and
 * always one that starts after the last request. Requests in between melt into one, first come first served.
 */
export class RecordQueue {
  readonly #options: RecordQueueOptions
  readonly #clock: Clock
  readonly #entries = new Map<string, Entry>()
  readonly #lines = { live: new Fifo<Entry>(), backfill: new Fifo<Entry>() }
  readonly #idleWaiters: (() => void)[] = []
  readonly #backfillWaiters: (() => void)[] = []
  /** Files that have a turn to come, or have one. */
  #busy = 0
  #running = 0
  #runningBackfill = 0
  #owed = 0
  #liveStreak = 0
  #outages = 0
  #cancelPause: (() => void) | null = null
  #isStopped = false

  constructor(options: RecordQueueOptions) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
  }

  /** Files that have a turn to come, or have one. */
  get size(): number {
    return this.#busy
  }

  /** Whether the file has a turn, has one to come, or had one just now. */
  has(path: string): boolean {
    return this.#entries.has(path)
  }

  /** Whether the file has a turn or one to come. */
  isBusy(path: string): boolean {
    const entry = this.#entries.get(path)
    return entry !== undefined && isBusy(entry)
  }

  /** Makes sure that a turn of this file starts after now. */
  request(path: string, lane: Lane): void {
    if (this.#isStopped) return
    const entry = this.#entries.get(path) ?? this.#begin(path, lane)
    if (lane === 'backfill' && !entry.isOwed) {
      entry.isOwed = true
      this.#owed++
    }
    if (entry.phase === 'running' || entry.phase === 'resting') this.#mark(entry, entry.phase, true)
    else if (entry.phase === 'checking') this.#wait(entry, 'live')
    // It leaves the backfill's line when that comes to it (`#take`).
    else if (entry.phase === 'waiting' && lane === 'live' && entry.lane === 'backfill') this.#wait(entry, 'live')
    this.#pump()
  }

  #begin(path: string, lane: Lane): Entry {
    const entry: Entry = {
      path,
      phase: 'resting',
      lane,
      isDirty: false,
      isOwed: false,
      failures: 0,
      turn: 0,
      startedAt: 0,
      cancelTimer: null,
    }
    this.#entries.set(path, entry)
    this.#wait(entry, lane)
    return entry
  }

  #wait(entry: Entry, lane: Lane): void {
    this.#mark(entry, 'waiting', false)
    entry.cancelTimer?.()
    entry.lane = lane
    this.#lines[lane].push(entry)
  }

  /** The only place where an entry's phase changes. */
  #mark(entry: Entry, phase: Entry['phase'], isDirty: boolean): void {
    this.#busy -= Number(isBusy(entry))
    entry.phase = phase
    entry.isDirty = isDirty
    this.#busy += Number(isBusy(entry))
  }

  #forget(entry: Entry): void {
    this.#mark(entry, 'resting', false)
    entry.cancelTimer?.()
    this.#entries.delete(entry.path)
  }

  /** Resolves when no file has a turn or one to come; at once when stopped. */
  idle(): Promise<void> {
    return this.#when(() => this.#busy === 0, this.#idleWaiters)
  }

  /** Resolves when every file asked for by the backfill had a turn (or failed for a reason of its own). */
  backfilled(): Promise<void> {
    return this.#when(() => this.#owed === 0, this.#backfillWaiters)
  }

  #when(isSo: () => boolean, waiters: (() => void)[]): Promise<void> {
    if (isSo() || this.#isStopped) return Promise.resolve()
    return new Promise((resolve) => waiters.push(resolve))
  }

  /** Starts no further turn; resolves when the running ones are over. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#cancelPause?.()
    for (const entry of [...this.#entries.values()]) if (entry.phase !== 'running') this.#forget(entry)
    if (this.#running > 0) await new Promise<void>((resolve) => this.#idleWaiters.push(resolve))
    this.#wake()
  }

  #pump(): void {
    while (!this.#isStopped && this.#cancelPause === null && this.#running < this.#limit()) {
      const entry = this.#next()
      if (entry === undefined) return
      void this.#run(entry)
    }
  }

  /** After an outage one file goes first, to see whether it is over. */
  #limit(): number {
    return this.#outages > 0 ? 1 : this.#options.concurrency
  }

  /** One place is kept free for live files, so that a long backfill never delays them. */
  #next(): Entry | undefined {
    const mayBackfill = this.#limit() === 1 || this.#runningBackfill < this.#limit() - 1
    const isBackfillFirst = mayBackfill && this.#liveStreak >= LIVE_STREAK
    const entry = (isBackfillFirst ? this.#take('backfill') : undefined) ?? this.#take('live')
    if (entry !== undefined) return entry
    return mayBackfill ? this.#take('backfill') : undefined
  }

  #take(lane: Lane): Entry | undefined {
    for (;;) {
      const entry = this.#lines[lane].shift()
      if (entry === undefined) return undefined
      if (entry.phase !== 'waiting' || entry.lane !== lane) continue
      this.#liveStreak = lane === 'live' ? this.#liveStreak + 1 : 0
      return entry
    }
  }

  async #run(entry: Entry): Promise<void> {
    const isBackfill = entry.lane === 'backfill'
    this.#mark(entry, 'running', false)
    entry.turn++
    entry.startedAt = this.#clock.now()
    this.#running++
    if (isBackfill) this.#runningBackfill++
    let failure: { error: unknown } | undefined
    try {
      await this.#options.work(entry.path)
    } catch (error) {
      failure = { error }
    }
    this.#running--
    if (isBackfill) this.#runningBackfill--
    if (failure === undefined) this.#succeeded(entry)
    else if (this.#isStopped) this.#forget(entry)
    else if (this.#options.isOutage(failure.error)) this.#pause(entry, failure.error)
    else this.#failed(entry, failure.error)
    this.#pump()
    this.#wake()
  }

  #succeeded(entry: Entry): void {
    entry.failures = 0
    if (this.#outages > 0) {
      this.#outages = 0
      this.#options.onOutage(null)
    }
    this.#settleDebt(entry)
    const restMs = entry.startedAt + this.#options.spacingMs - this.#clock.now()
    this.#mark(entry, 'resting', entry.isDirty)
    if (this.#isStopped) this.#forget(entry)
    else if (restMs <= 0) this.#rested(entry)
    // A clock that was set back must not hold the file: a rest is never longer than the spacing.
    else this.#later(entry, Math.min(restMs, this.#options.spacingMs), () => this.#rested(entry))
  }

  #rested(entry: Entry): void {
    if (entry.isDirty) this.#wait(entry, 'live')
    else if (entry.lane === 'live') void this.#check(entry, 0)
    else this.#forget(entry)
  }

  /** @param looks  how many looks found no change since the entry's last turn */
  async #check(entry: Entry, looks: number): Promise<void> {
    this.#mark(entry, 'checking', false)
    const { turn } = entry
    const hasChanged = await this.#options.hasChanged(entry.path).catch(() => true)
    if (entry.phase !== 'checking' || entry.turn !== turn) return
    const pauseMs = RECHECKS_MS[looks]
    if (this.#isStopped) this.#forget(entry)
    else if (hasChanged) this.#wait(entry, 'live')
    else if (pauseMs !== undefined) this.#later(entry, pauseMs, () => void this.#check(entry, looks + 1))
    else this.#forget(entry)
    this.#pump()
    this.#wake()
  }

  #pause(entry: Entry, error: unknown): void {
    this.#wait(entry, entry.lane)
    if (this.#cancelPause !== null) return
    if (this.#outages === 0) this.#options.onOutage(error)
    this.#outages++
    const ms = Math.min(FIRST_RETRY_MS * 2 ** Math.min(this.#outages - 1, 20), LONGEST_OUTAGE_RETRY_MS)
    this.#cancelPause = this.#clock.after(ms, () => {
      this.#cancelPause = null
      this.#pump()
    })
  }

  #failed(entry: Entry, error: unknown): void {
    if (entry.failures === 0) this.#options.onFailure(entry.path, error)
    entry.failures++
    this.#settleDebt(entry)
    this.#mark(entry, 'failed', true)
    const ms = Math.min(FIRST_RETRY_MS * 2 ** Math.min(entry.failures - 1, 20), LONGEST_FILE_RETRY_MS)
    this.#later(entry, ms, () => this.#wait(entry, 'live'))
  }

  #later(entry: Entry, ms: number, then: () => void): void {
    entry.cancelTimer = this.#clock.after(ms, () => {
      entry.cancelTimer = null
      then()
      this.#pump()
      this.#wake()
    })
  }

  #settleDebt(entry: Entry): void {
    if (!entry.isOwed) return
    entry.isOwed = false
    this.#owed--
  }

  #wake(): void {
    const isIdle = this.#isStopped ? this.#running === 0 : this.#busy === 0
    if (isIdle) wake(this.#idleWaiters)
    if (this.#owed === 0 || (isIdle && this.#isStopped)) wake(this.#backfillWaiters)
  }
}

function isBusy(entry: Entry): boolean {
  return entry.isDirty || (entry.phase !== 'resting' && entry.phase !== 'checking')
}

function wake(waiters: (() => void)[]): void {
  for (const waiter of waiters.splice(0)) waiter()
}
