/** What every port shares. */

/** One page of a list. `nextCursor` is opaque; `null` = no more. */
export interface Page<T> {
  rows: T[]
  nextCursor: string | null
}

export interface PageRequest {
  /** 1 to 1,000. */
  limit: number
  /** From an earlier page of the same list with the same filters. @throws `invalid` when it is not. */
  cursor?: string
}

/**
 * The recording path's own port: few calls, many rows each, raw prepared statements behind it.
 *
 * Every call may answer at once (SQLite) or later (PostgreSQL). All merges are commutative and idempotent:
 * the same facts in any order, doubled or in parts, leave the same rows.
 */
export type Awaitable<T> = T | Promise<T>

/** A row that is about to be made: what may be `null` may be left out, and is `null` then. */
export type Sparse<Row> = { [Field in keyof Row as null extends Row[Field] ? never : Field]: Row[Field] } & {
  [Field in keyof Row as null extends Row[Field] ? Field : never]?: Row[Field]
}
