/** How a database stands, for a person that looks after it. Reads what the database knows of itself; counts nothing row by row. */

export interface TableReport {
  name: string
  /** An estimate on PostgreSQL; `null` = the database does not know. */
  rows: number | null
  /** With its indexes. `null` = the database can't tell. */
  bytes: number | null
  indexBytes: number | null
  /** How many of these bytes hold nothing: those of removed rows and half-full pages. An estimate on PostgreSQL. */
  freeBytes: number | null
  /** The time of the row that was stored first. `null` = none, or its rows have no time. */
  oldest: string | null
}

export interface IndexReport {
  name: string
  table: string
  /** `null` = the database can't tell. */
  bytes: number | null
  /** How often it was read since the database began to count; `null` = it does not count. One that is never read only costs. */
  scans: number | null
}

export interface SlowStatement {
  /** Without its values. */
  statement: string
  calls: number
  meanMs: number
  totalMs: number
}

export interface DatabaseReport {
  kind: 'sqlite' | 'postgres'
  bytes: number
  /** Bytes that `lode db vacuum` may give back. */
  freeBytes: number
  /** The largest first. */
  tables: TableReport[]
  /** The same. */
  indexes: IndexReport[]
  /** Those that took most time in all. `null` = the database does not record them. */
  slow: SlowStatement[] | null
}

/** Columns that tell when a row was made, the first that a table has. */
export const TIME_COLUMNS = ['created_at', 'at', 'started_at', 'received_at', 'asked_at', 'opened_at'] as const

/** How many statements are listed. */
export const MOST_SLOW = 10

export const timeOf = (at: unknown): string | null =>
  typeof at === 'number' && Number.isFinite(at) ? new Date(at).toISOString() : null

/** Characters of a statement. */
const MOST_TEXT = 300

export const shortStatement = (text: string): string => text.replace(/\s+/g, ' ').trim().slice(0, MOST_TEXT)

export const largestFirst = <Thing extends { name: string; bytes: number | null; rows?: number | null }>(
  things: Thing[],
): Thing[] =>
  things.sort((a, b) => (b.bytes ?? 0) - (a.bytes ?? 0) || (b.rows ?? 0) - (a.rows ?? 0) || (a.name < b.name ? -1 : 1))
