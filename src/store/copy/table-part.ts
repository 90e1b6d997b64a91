/** What a column holds; integers beyond 2^53 as `bigint`. */
export type CopiedValue = string | number | bigint | Uint8Array | null

/** Rows of one table, read in one go. */
export interface TablePart {
  table: string
  columns: readonly string[]
  rows: readonly (readonly CopiedValue[])[]
}

/** A part has at most this many rows, and ends with the row that makes it longer than `bytes`. */
export const PART_LIMITS = Object.freeze({ rows: 2_000, bytes: 2 * 1_048_576 })

/** About what a row takes. */
export const bytesOf = (row: readonly CopiedValue[]): number =>
  row.reduce<number>(
    (sum, value) => sum + (typeof value === 'string' || value instanceof Uint8Array ? value.length : 8),
    0,
  )

/** Collects rows until they make a part. */
export class PartBuilder {
  private rows: CopiedValue[][] = []
  private bytes = 0
  private readonly table: string
  private readonly columns: readonly string[]

  constructor(table: string, columns: readonly string[]) {
    this.table = table
    this.columns = columns
  }

  /** @returns a part, where this row completed one */
  add(row: CopiedValue[]): TablePart | undefined {
    this.rows.push(row)
    this.bytes += bytesOf(row)
    return this.rows.length >= PART_LIMITS.rows || this.bytes >= PART_LIMITS.bytes ? this.take() : undefined
  }

  /** What is left; nothing where the last row completed a part. */
  take(): TablePart | undefined {
    if (this.rows.length === 0) return undefined
    const { table, columns, rows } = this
    this.rows = []
    this.bytes = 0
    return { table, columns, rows }
  }
}
