/**
 * Heights of the rows of a long list, and where each row stands. A height is guessed until the row was measured. Asking and changing cost
 * the logarithm of the number of rows, so a list of a million is as quick as one of a hundred. All in pixels.
 */
export class RowHeights {
  private heights = new Float64Array(0)
  private isMeasured = new Uint8Array(0)
  /** Sums by binary places (a Fenwick tree): `sums[i]` is of the rows of the last block that ends before row `i`. */
  private sums = new Float64Array(1)
  private size = 0
  private readonly guess: number

  /** @param guess  height of a row of which nothing is known */
  constructor(guess: number) {
    this.guess = guess
  }

  get count(): number {
    return this.size
  }

  get total(): number {
    return this.offsetOf(this.size)
  }

  /** More rows at the end, or fewer; those that stay keep their heights. */
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

  /** Takes a guess for a row that was not measured. @returns whether anything changed */
  expect(row: number, height: number): boolean {
    return this.isMeasured[row] === 1 ? false : this.put(row, height)
  }

  /** A height that was measured, or is known. @returns whether anything changed */
  set(row: number, height: number): boolean {
    if (row < 0 || row >= this.size) return false
    this.isMeasured[row] = 1
    return this.put(row, height)
  }

  /** The row may be of another height now: a guess until it is measured again. */
  forget(row: number, height: number): boolean {
    if (row < 0 || row >= this.size) return false
    this.isMeasured[row] = 0
    return this.put(row, height)
  }

  heightOf(row: number): number {
    return this.heights[row] ?? 0
  }

  /** Where a row begins; the end of the last one for rows behind it. */
  offsetOf(row: number): number {
    let sum = 0
    for (let i = Math.min(row, this.size); i > 0; i -= i & -i) sum += this.sums[i] ?? 0
    return sum
  }

  /** The row at a place: the first that reaches below it. The last one for places behind the end, 0 before the beginning. */
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

  /** What `sums[i]` has to be, from its own row and the smaller blocks in it. */
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
