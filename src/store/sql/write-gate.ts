/** Words of the shared memory. */
const OWNER = 0 // 0 = free, else the bit of the thread that has its turn
const MEMBERS = 1 // bits of the threads that joined
const WANTED = 2 // bits of the threads with interactive work waiting
const COMMITS = 3 // grows with each commit of any thread
const TURN = 4 // grows with each change of OWNER, so that a waiter can tell a stuck holder from a busy gate
const WORDS = 8

/** How long a waiter watches one and the same turn before it goes ahead without the gate; SQLite's own lock still holds. */
const STUCK_MS = 5_000
/** The longest that bulk work lets interactive work go first, so that it is slowed down but never starved. */
const BULK_PATIENCE_MS = 100

export type Weight = 'interactive' | 'bulk'

/** Memory for one process's gate; give it to every thread that opens the same database. */
export function createWriteGate(): SharedArrayBuffer {
  return new SharedArrayBuffer(WORDS * Int32Array.BYTES_PER_ELEMENT)
}

/**
 * Turns of the write connections of one process's threads, so that they never meet SQLite's lock and interactive work goes
 * before bulk work. Waiting never blocks the thread's loop.
 *
 * The gate decides only who goes first; the lock that protects the data is SQLite's. So a thread that died with its turn
 * can be passed by: at once when somebody calls `releaseThread`, else after `STUCK_MS`.
 */
export class WriteGate {
  private readonly words: Int32Array
  /** This thread's bit; give it to `releaseThread` when the thread has died. */
  readonly member: number

  /** Joins the gate. At most 31 threads may. */
  constructor(memory: SharedArrayBuffer) {
    this.words = new Int32Array(memory)
    this.member = this.join()
  }

  /** Resolves when it is this thread's turn. `release` must follow. */
  async acquire(weight: Weight): Promise<void> {
    if (weight === 'interactive') Atomics.or(this.words, WANTED, this.member)
    const since = performance.now()
    let turn = Atomics.load(this.words, TURN)
    let turnSince = since
    while (!this.tryTake(weight, performance.now() - since)) {
      const seen = Atomics.load(this.words, TURN)
      const now = performance.now()
      if (seen !== turn) {
        turn = seen
        turnSince = now
      } else if (now - turnSince > STUCK_MS && this.takeOver()) {
        break
      }
      await this.changeOfTurn(seen)
    }
    if (weight === 'interactive') Atomics.and(this.words, WANTED, ~this.member)
  }

  release(): void {
    if (Atomics.compareExchange(this.words, OWNER, this.member, 0) === this.member) this.announce()
  }

  /** Another thread's interactive work waits: bulk work should end its turn soon. */
  get isWanted(): boolean {
    return (Atomics.load(this.words, WANTED) & ~this.member) !== 0
  }

  /** Tells all threads that something was committed. */
  committed(): void {
    Atomics.add(this.words, COMMITS, 1)
    Atomics.notify(this.words, COMMITS)
  }

  /** Resolves after the next commit of any thread, or after `timeoutMs`. */
  async nextCommit(seen: number, timeoutMs: number): Promise<void> {
    const wait = Atomics.waitAsync(this.words, COMMITS, seen, timeoutMs)
    if (wait.async) await wait.value
  }

  /** Commits so far, for `nextCommit`. */
  get commits(): number {
    return Atomics.load(this.words, COMMITS)
  }

  /** Leaves the gate; gives back a turn that this thread still has. */
  leave(): void {
    this.releaseThread(this.member)
  }

  /** Clears away what a thread that has died left behind. Call it when a worker thread exits. */
  releaseThread(member: number): void {
    Atomics.and(this.words, WANTED, ~member)
    Atomics.and(this.words, MEMBERS, ~member)
    if (Atomics.compareExchange(this.words, OWNER, member, 0) === member) this.announce()
  }

  private join(): number {
    for (let bit = 1; bit > 0 && bit < 2 ** 31; bit *= 2) {
      if ((Atomics.or(this.words, MEMBERS, bit) & bit) === 0) return bit
    }
    throw new RangeError('more than 31 threads write to one database')
  }

  private tryTake(weight: Weight, waitedMs: number): boolean {
    if (weight === 'bulk' && this.isWanted && waitedMs < BULK_PATIENCE_MS) return false
    if (Atomics.compareExchange(this.words, OWNER, 0, this.member) !== 0) return false
    Atomics.add(this.words, TURN, 1)
    return true
  }

  private takeOver(): boolean {
    const holder = Atomics.load(this.words, OWNER)
    if (Atomics.compareExchange(this.words, OWNER, holder, this.member) !== holder) return false
    Atomics.add(this.words, TURN, 1)
    return true
  }

  private announce(): void {
    Atomics.add(this.words, TURN, 1)
    Atomics.notify(this.words, TURN)
  }

  private async changeOfTurn(seen: number): Promise<void> {
    const wait = Atomics.waitAsync(this.words, TURN, seen, 50)
    if (wait.async) await wait.value
  }
}
