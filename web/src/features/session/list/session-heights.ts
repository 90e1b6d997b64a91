/**
 * Heights and offsets of the rows of a long list, in pixels. A height is estimated until the row is measured. Queries and updates take
 * O(log n), so a list of a million rows is as fast as one of a hundred.
 */
export class RowHeights {
  private heights = new Float64Array(0)
  private isMeasured = new Uint8Array(0)
  /** A Fenwick tree: `sums[i]` is the total height of the block of rows that ends before row `i`. */
  private sums = new Float64Array(1)
  private size = 0
  private readonly guess: number

  /** @param guess  height of an unknown row, in pixels */
  constructor(guess: number) {
    this.guess = guess
  }

  /** Number of rows. */
  get count(): number {
    return this.size
  }

  /** Height of all rows, in pixels. */
  get total(): number {
    return this.offsetOf(this.size)
  }

  /** Adds or removes rows at the end. The remaining rows keep their heights. */
  resize(count: number): void {
    if (count === this.size) return
    if (count > this.heights.length) {
      const room = Math.max(count, Math.ceil(this.heights.length * 1.5), 64)
      this.heights = grown(this.heights, new Float64Array(room))
      this.isMeasured = grown(this.isMeasured, new Uint8Array(room))
      this.sums = grown(this.sums, new Float64Array(room + 1))
    }
    for (let i = this.size; i < count; i++) {
      this.heights[i] = this.guess
      this.isMeasured[i] = 0
      this.sums[i + 1] = this.blockSum(i + 1)
    }
    this.size = count
  }

  /** Sets the estimate of a row that was not measured. @returns whether anything changed */
  expect(row: number, height: number): boolean {
    return this.isMeasured[row] === 1 ? false : this.put(row, height)
  }

  /** Sets a measured or known height. @returns whether anything changed */
  set(row: number, height: number): boolean {
    if (row < 0 || row >= this.size) return false
    this.isMeasured[row] = 1
    return this.put(row, height)
  }

  /** Resets a measured row to an estimate, because its height may have changed. @returns whether anything changed */
  forget(row: number, height: number): boolean {
    if (row < 0 || row >= this.size) return false
    this.isMeasured[row] = 0
    return this.put(row, height)
  }

  /** Height of a row, in pixels. */
  heightOf(row: number): number {
    return this.heights[row] ?? 0
  }

  /** Offset of the top of a row, in pixels; the total height for rows after the last. */
  offsetOf(row: number): number {
    let sum = 0
    for (let i = Math.min(row, this.size); i > 0; i -= i & -i) sum += this.sums[i] ?? 0
    return sum
  }

  /** The row at an offset: the first that ends after it. The last row for offsets after the end, 0 for negative ones. */
  rowAt(offset: number): number {
    let row = 0
    let left = offset
    let step = 1
    while (step * 2 <= this.size) step *= 2
    for (; step > 0; step >>= 1) {
      const sum = this.sums[row + step]
      if (row + step > this.size || sum === undefined || sum > left) continue
      row += step
      left -= sum
    }
    return Math.max(0, Math.min(row, this.size - 1))
  }

  private put(row: number, height: number): boolean {
    if (row < 0 || row >= this.size) return false
    const before = this.heights[row] ?? 0
    if (Math.abs(before - height) < 0.25) return false
    this.heights[row] = height
    for (let i = row + 1; i <= this.size; i += i & -i) this.sums[i] = (this.sums[i] ?? 0) + height - before
    return true
  }

  /** The correct value of `sums[i]`, from its own row and the smaller blocks in it. */
  private blockSum(i: number): number {
    let sum = this.heights[i - 1] ?? 0
    for (let part = i - 1; part > i - (i & -i); part -= part & -part) sum += this.sums[part] ?? 0
    return sum
  }
}

function grown<Numbers extends Float64Array | Uint8Array>(from: Numbers, to: Numbers): Numbers {
  to.set(from.subarray(0, Math.min(from.length, to.length)))
  return to
}
