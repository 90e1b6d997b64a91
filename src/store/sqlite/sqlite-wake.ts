import { MINUTE_MS } from '../../domain/time-units'
import type { WriteGate } from '../sql/write-gate'
import type { SqliteConnection } from './sqlite-connection'

/** How often another process's commits are looked for while somebody listens. A look wakes the processor, which costs more than the look. */
const POLL_MS = 20
/** The same in a server: its own threads come by the gate, and few processes write beside it. */
const SERVER_POLL_MS = 100
/** The longest sleep between two looks at a gate that nobody commits through. */
const GATE_WAIT_MS = MINUTE_MS

/**
 * Wakes readers of the feed soon after a commit: by this connection's own writer at once, by another thread of the process
 * at once through the gate, by another process through SQLite's `data_version`. Sleeps while nobody listens.
 */
export class SqliteWake {
  private readonly reader: SqliteConnection
  private readonly gate: WriteGate | undefined
  private readonly listeners = new Set<() => void>()
  private timer: ReturnType<typeof setInterval> | undefined
  private version = 0
  private isWatchingGate = false

  constructor(reader: SqliteConnection, gate: WriteGate | undefined) {
    this.reader = reader
    this.gate = gate
  }

  /** @see FeedReads.onChange */
  subscribe(wake: () => void): () => void {
    // A function of its own for each subscription, so that one listener may subscribe twice.
    const listener = (): void => wake()
    this.listeners.add(listener)
    if (this.timer === undefined) this.start()
    return () => {
      this.listeners.delete(listener)
      if (this.listeners.size === 0) this.stop()
    }
  }

  /** Calls all listeners; one that throws does not keep the others from being called. */
  wake(): void {
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

  close(): void {
    this.listeners.clear()
    this.stop()
  }

  private start(): void {
    this.version = this.dataVersion()
    this.timer = setInterval(() => this.poll(), this.gate === undefined ? POLL_MS : SERVER_POLL_MS)
    this.timer.unref()
    if (this.gate !== undefined && !this.isWatchingGate) void this.watchGate(this.gate)
  }

  private stop(): void {
    clearInterval(this.timer)
    this.timer = undefined
  }

  private poll(): void {
    const version = this.dataVersion()
    if (version === this.version) return
    this.version = version
    this.wake()
  }

  private async watchGate(gate: WriteGate): Promise<void> {
    this.isWatchingGate = true
    let seen = gate.commits
    while (this.timer !== undefined) {
      await gate.nextCommit(seen, GATE_WAIT_MS)
      const commits = gate.commits
      if (commits === seen) continue
      seen = commits
      if (this.timer !== undefined) this.wake()
    }
    this.isWatchingGate = false
  }

  private dataVersion(): number {
    try {
      return this.reader.get<{ data_version: number }>('pragma data_version')?.data_version ?? this.version
    } catch {
      // Locked for a moment; the next look tells.
      return this.version
    }
  }
}
