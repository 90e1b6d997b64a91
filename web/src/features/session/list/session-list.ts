import { RowHeights } from './session-heights'

/** Estimated height of an unknown row, in pixels. */
const UNKNOWN_ROW_PX = 40
/** Total height that the estimates of a new list stay below, in pixels. Browsers clip elements after about 33 million. */
const MAX_ESTIMATED_PX = 24_000_000
/** How far outside of the viewport rows are rendered, in pixels. */
const OVERSCAN_PX = 500
/** Rendered ranges start and end at multiples of this many rows, so that not every pixel of scrolling changes them. */
const RANGE_STEP_ROWS = 8
/** Space after the last row, in pixels. */
const FOOT_PX = 24
/** Scrolling down to within this distance of the end counts as reaching it, in pixels. */
const NEAR_END_PX = 24

/** What stays in place when heights change: the end, or a row of which `into` pixels are above the viewport. */
type Anchor = { kind: 'end' } | { kind: 'row'; row: number; into: number }

/**
 * Which rows of a long list to render, and how far it is scrolled. Rows may turn out taller than estimated, be opened, or be added: whatever
 * the person looks at stays in place, and a list that is at its end stays there.
 */
export class AnchoredList {
  private heights: RowHeights
  private anchor: Anchor = { kind: 'end' }
  private viewport = 0
  private version = 0
  private drawn = { first: -1, last: -1 }
  private readonly listeners = new Set<() => void>()

  constructor() {
    this.heights = new RowHeights(UNKNOWN_ROW_PX)
  }

  subscribe = (tell: () => void): (() => void) => {
    this.listeners.add(tell)
    return () => this.listeners.delete(tell)
  }

  /** Changes whenever the list has to be rendered again. */
  getVersion = (): number => this.version

  /** Number of rows. */
  get count(): number {
    return this.heights.count
  }

  /** Whether the list follows its end when rows are added. */
  get isAtEnd(): boolean {
    return this.anchor.kind === 'end'
  }

  /** Whether the last row is visible. */
  get isEndSeen(): boolean {
    return this.isAtEnd || this.top + this.viewport >= this.height - 1.5
  }

  /** Height of the visible part, in pixels. */
  get viewportHeight(): number {
    return this.viewport
  }

  /** Height of the whole list, in pixels. */
  get height(): number {
    return this.heights.total + FOOT_PX
  }

  /** The scroll position that the list should have, in pixels. */
  get top(): number {
    const most = Math.max(0, this.height - this.viewport)
    if (this.anchor.kind === 'end') return most
    return Math.max(0, Math.min(most, this.heights.offsetOf(this.anchor.row) + this.anchor.into))
  }

  /** The rows to render, inclusive. */
  get range(): { first: number; last: number } {
    const first = this.heights.rowAt(this.top - OVERSCAN_PX)
    const last = this.heights.rowAt(this.top + this.viewport + OVERSCAN_PX)
    return {
      first: first - (first % RANGE_STEP_ROWS),
      last: Math.min(this.count - 1, last - (last % RANGE_STEP_ROWS) + RANGE_STEP_ROWS - 1),
    }
  }

  /** The rows that are at least partly visible, inclusive. */
  get seen(): { first: number; last: number } {
    return { first: this.heights.rowAt(this.top), last: this.heights.rowAt(this.top + this.viewport - FOOT_PX) }
  }

  /** Offset of the top of a row, in pixels. */
  offsetOf(row: number): number {
    return this.heights.offsetOf(row)
  }

  /** Height of a row, in pixels. */
  heightOf(row: number): number {
    return this.heights.heightOf(row)
  }

  /** Changes heights, and notifies once if `work` returns true. */
  change(work: (heights: RowHeights) => boolean): void {
    if (work(this.heights)) this.tell()
  }

  /** Sets the number of rows. */
  setCount(count: number): void {
    if (count === this.count) return
    if (this.count === 0) this.heights = new RowHeights(Math.min(UNKNOWN_ROW_PX, MAX_ESTIMATED_PX / count))
    this.heights.resize(count)
    if (this.anchor.kind === 'row' && this.anchor.row >= count) this.anchor = { kind: 'end' }
    this.tell()
  }

  /** Sets the height of the visible part, in pixels. */
  setViewport(height: number): void {
    if (height === this.viewport) return
    this.viewport = height
    this.tell()
  }

  /** Takes a new scroll position, by the person or as an echo of our own. @param top  pixels */
  scrolled(top: number): void {
    const before = this.top
    if (Math.abs(top - before) < 1.5) return
    const wasAtEnd = this.isAtEnd
    const left = this.height - this.viewport - top
    if (left <= 1.5 || (top > before && left < NEAR_END_PX)) this.anchor = { kind: 'end' }
    else {
      const row = this.heights.rowAt(Math.max(0, top))
      this.anchor = { kind: 'row', row, into: top - this.heights.offsetOf(row) }
    }
    const { first, last } = this.range
    if (first !== this.drawn.first || last !== this.drawn.last || wasAtEnd !== this.isAtEnd) this.tell()
  }

  /** Scrolls a row to `below` pixels below the top of the viewport. */
  goTo(row: number, below: number): void {
    this.anchor = { kind: 'row', row: Math.max(0, Math.min(row, this.count - 1)), into: -below }
    this.tell()
  }

  /** Scrolls to the end and follows it. */
  goToEnd(): void {
    this.anchor = { kind: 'end' }
    this.tell()
  }

  /** Scrolls as little as possible to show the row; for one that is taller than the viewport, its top. */
  reveal(row: number): void {
    const begin = this.heights.offsetOf(row)
    const end = begin + this.heights.heightOf(row)
    const { top } = this
    if (begin < top || end - begin > this.viewport) this.goTo(row, 8)
    else if (end > top + this.viewport - FOOT_PX) this.goTo(row, this.viewport - FOOT_PX - (end - begin))
  }

  /** Scrolls by pixels. */
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
