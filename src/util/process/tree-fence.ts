/**
 * Keeps a tree of processes to its limits by timers of its own: lets it stand still, go on, or end. The guard loads this file at each
 * start.
 */
import { bootMs } from './boot-clock'
import type { Limits } from './guard-channel'

export interface FencedTree {
  /** May be called again while it stands still, for what slipped through. @returns how many stand still */
  freeze(): number
  /** @returns how many go on */
  thaw(): number
}

export interface FenceOptions {
  tree: FencedTree
  limits: Limits
  onFrozen(count: number): void
  onThawed(count: number): void
  /** The time is over. The tree stands still. */
  onEnd(): void
  /** Milliseconds; default `bootMs`. */
  clock?: () => number
}

/**
 * The clock is looked at this often: timers stand still while a machine sleeps, and a tree that wakes with it must not act for the
 * rest of its old time.
 */
const FENCE_LOOK_MS = 100
/** A look that comes this much too late tells that the machine slept, or that this process stood still. */
const LATE_MS = 1_000
/**
 * Then the worker could say nothing either. The tree stands still, so it does no harm that its end waits: so long for a renewal, which
 * a worker that wakes asks for at once.
 */
const WAKE_MS = 10_000
/** Looks between two for what slipped through. */
const AGAIN_EVERY = 5

export class TreeFence {
  private readonly options: FenceOptions
  private readonly clock: () => number
  private limits: Limits
  private lookedAt: number
  /** Not ended before. */
  private waitsUntil = 0
  private frozenFor = 0
  private timer: ReturnType<typeof setInterval> | undefined

  constructor(options: FenceOptions) {
    this.options = options
    this.clock = options.clock ?? bootMs
    this.limits = options.limits
    this.lookedAt = this.clock()
  }

  start(): void {
    this.timer = setInterval(() => this.look(), FENCE_LOOK_MS)
    this.look()
  }

  stop(): void {
    clearInterval(this.timer)
  }

  /** The server acknowledged a renewal: nothing else lets a tree go on that stands still. */
  renewed(limits: Limits): void {
    this.limits = limits
    if (this.frozenFor === 0 || this.clock() >= limits.freezeAt) return
    this.frozenFor = 0
    this.options.onThawed(this.options.tree.thaw())
  }

  /** The lease stands still. */
  held(limits: Limits): void {
    this.limits = limits
  }

  look(): void {
    const { tree, onFrozen, onEnd } = this.options
    const { freezeAt, endAt } = this.limits
    const now = this.clock()
    if (now - this.lookedAt > LATE_MS) this.waitsUntil = now + WAKE_MS
    this.lookedAt = now
    if (this.frozenFor === 0) {
      if (now < freezeAt) return
      this.frozenFor = 1
      onFrozen(tree.freeze())
    } else if (this.frozenFor++ % AGAIN_EVERY === 0) tree.freeze()
    if (now < endAt || now < this.waitsUntil) return
    this.stop()
    onEnd()
  }
}
