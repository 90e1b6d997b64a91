import type { Awaitable } from '../../domain/port'

/**
 * The recording path and the writes of tasks are written once, as programs that yield queries, and driven twice: at once on
 * SQLite, where a statement answers synchronously and a promise per row would cost more than the insert, and awaited on
 * PostgreSQL.
 *
 * Statements use `?` for parameters and only words that both databases know.
 */
export type Value = string | number | null | Uint8Array

export interface Query {
  sql: string
  params: Value[]
  /**
   * - `rows`    all rows
   * - `changed` number of rows changed
   * - `run`     nothing: on PostgreSQL the program goes on at once, and a failure is that of the unit's commit
   * - `insert`  id of the row inserted, or `null` when `on conflict do nothing` kept it out
   */
  want: 'rows' | 'changed' | 'run' | 'insert'
}

/** Rows of one table that are put in at once. One that is there by its key stays as it is. */
export interface Insertion {
  table: string
  /** PostgreSQL's types by the names of columns, in the order of a row's values. */
  columns: Readonly<Record<string, 'bigint' | 'text' | 'bytea'>>
  /** Columns by which a row is there. */
  key: readonly string[]
  /** The table has a column `id`. */
  hasId: boolean
}

/** Many rows in as few round trips as the database allows. */
export interface Inserting {
  insertion: Insertion
  rows: readonly Value[][]
}

export type Row = Record<string, Value>
export type Program<T> = Generator<Query, T, unknown>
/** A program that also puts many rows in at once. */
export type BulkProgram<T> = Generator<Query | Inserting, T, unknown>

export function* rows<R = Row>(sql: string, ...params: Value[]): Program<R[]> {
  return (yield { sql, params, want: 'rows' }) as R[]
}

export function* first<R = Row>(sql: string, ...params: Value[]): Program<R | undefined> {
  return ((yield { sql, params, want: 'rows' }) as R[])[0]
}

export function* run(sql: string, ...params: Value[]): Program<void> {
  yield { sql, params, want: 'run' }
}

/** The same where it matters how many rows changed. */
export function* changed(sql: string, ...params: Value[]): Program<number> {
  return (yield { sql, params, want: 'changed' }) as number
}

/** The table's key column is `id`. */
export function* insert(sql: string, ...params: Value[]): Program<number | null> {
  return (yield { sql, params, want: 'insert' }) as number | null
}

/** @returns for each row its `id`, or any number where the table has none; `null` for one that was there, or that equals one before it */
export function* insertEach(insertion: Insertion, rows: readonly Value[][]): BulkProgram<(number | null)[]> {
  return rows.length === 0 ? [] : ((yield { insertion, rows }) as (number | null)[])
}

/** Runs programs against one database connection. */
export interface Driver {
  /** Appended to a select whose row is about to be merged and written back. */
  readonly lock: string
  drive<T>(program: BulkProgram<T>): Awaitable<T>
}
