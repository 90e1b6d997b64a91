import { RowHeights } from './session-heights'

/** Height of a row of which nothing is known, in pixels. */
const GUESS = 40
/** Browsers cut elements off behind some 33 million pixels. */
const MOST_PIXELS = 24_000_000
/** Rows are made ready so far outside of what is seen, in pixels. */
const READY = 500
/** Ranges begin and end at multiples of this, so that not every pixel makes a new one. */
const STEP = 8
/** Space behind the last row, in pixels. */
const FOOT = 24
/** So near to the end one counts as being there, on the way down. */
const NEAR_END = 24

/** What stays where it is when heights around it change: the end, or a row, `into` pixels of which are above what is seen. */
type Anchor = { kind: 'end' } | { kind: 'row'; row: number; into: number }

/**
 * Which rows of a long list are to be drawn, and how far it is scrolled. Rows may turn out higher than guessed, be opened, be added: what the
 * person looks at stays in place, and who is at the end stays there.
 */
export class AnchoredList {
  private heights: RowHeights
  private anchor: Anchor = { kind: 'end' }
  private viewport = 0
  private version = 0
  private drawn = { first: -1, last: -1 }
  private readonly listeners = new Set<() => void>()

  constructor() {
    this.heights = new RowHeights(GUESS)
  }

  subscribe = (tell: () => void): (() => void) => {
    this.listeners.add(tell)
    return () => this.listeners.delete(tell)
  }

  /** Changes whenever what is drawn has to. */
  getVersion = (): number => this.version

  get count(): number {
    return this.heights.count
  }

  /** The newest row is seen, and will be when others come. */
  get isAtEnd(): boolean {
    return this.anchor.kind === 'end'
  }

  /** The newest row is seen. */
  get isEndSeen(): boolean {
    return this.isAtEnd || this.top + this.viewport >= this.height - 1.5
  }

  get viewportHeight(): number {
    return this.viewport
  }

  /** Of the whole list, in pixels. */
  get height(): number {
    return this.heights.total + FOOT
  }

  /** How far the list has to be scrolled. */
  get top(): number {
    const most = Math.max(0, this.height - this.viewport)
    if (this.anchor.kind === 'end') return most
    return Math.max(0, Math.min(most, this.heights.offsetOf(this.anchor.row) + this.anchor.into))
  }

  /** Rows to draw, both included. */
  get range(): { first: number; last: number } {
    const first = this.heights.rowAt(this.top - READY)
    const last = this.heights.rowAt(this.top + this.viewport + READY)
    return { first: first - (first % STEP), last: Math.min(this.count - 1, last - (last % STEP) + STEP - 1) }
  }

  /** Rows of which something is seen. */
  get seen(): { first: number; last: number } {
    return { first: this.heights.rowAt(this.top), last: this.heights.rowAt(this.top + this.viewport - FOOT) }
  }

  offsetOf(row: number): number {
    return this.heights.offsetOf(row)
  }

  heightOf(row: number): number {
    return this.heights.heightOf(row)
  }

  /** Takes changes, and tells once if there were any. */
  change(work: (heights: RowHeights) => boolean): void {
    if (work(this.heights)) this.tell()
  }

  setCount(count: number): void {
    if (count === this.count) return
    if (this.count === 0) this.heights = new RowHeights(Math.min(GUESS, MOST_PIXELS / count))
    this.heights.resize(count)
    if (this.anchor.kind === 'row' && this.anchor.row >= count) this.anchor = { kind: 'end' }
    this.tell()
  }

  setViewport(height: number): void {
    if (height === this.viewport) return
    this.viewport = height
    this.tell()
  }

  /** The person scrolled, or the browser tells of what we set. */
  scrolled(top: number): void {
    const before = this.top
    if (Math.abs(top - before) < 1.5) return
    const wasAtEnd = this.isAtEnd
    const left = this.height - this.viewport - top
    if (left <= 1.5 || (top > before && left < NEAR_END)) this.anchor = { kind: 'end' }
    else {
      const row = this.heights.rowAt(Math.max(0, top))
      this.anchor = { kind: 'row', row, into: top - this.heights.offsetOf(row) }
    }
    const { first, last } = this.range
    if (first !== this.drawn.first || last !== this.drawn.last || wasAtEnd !== this.isAtEnd) this.tell()
  }

  /** Puts a row so many pixels below the upper edge. */
  goTo(row: number, below: number): void {
    this.anchor = { kind: 'row', row: Math.max(0, Math.min(row, this.count - 1)), into: -below }
    this.tell()
  }

  goToEnd(): void {
    this.anchor = { kind: 'end' }
    this.tell()
  }

  /** Scrolls as little as brings the row into view; of one that is too high its beginning. */
  reveal(row: number): void {
    const begin = this.heights.offsetOf(row)
    const end = begin + this.heights.heightOf(row)
    const { top } = this
    if (begin < top || end - begin > this.viewport) this.goTo(row, 8)
    else if (end > top + this.viewport - FOOT) this.goTo(row, this.viewport - FOOT - (end - begin))
  }

  /** Moves what is seen, by pixels. */
  scrollBy(pixels: number): void {
    const top = Math.max(0, this.top + pixels)
    if (this.height - this.viewport - top <= 1.5) this.goToEnd()
    else {
      const row = this.heights.rowAt(top)
      this.goTo(row, this.heights.offsetOf(row) - top)
    }
  }

  private tell(): void {
    this.version++
    this.drawn = this.range
    for (const tell of this.listeners) tell()
  }
}
