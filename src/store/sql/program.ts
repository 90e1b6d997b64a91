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

export type Row = Record<string, Value>
export type Program<T> = Generator<Query, T, unknown>

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

/** Runs programs against one database connection. */
export interface Driver {
  /** Appended to a select whose row is about to be merged and written back. */
  readonly lock: string
  drive<T>(program: Program<T>): Awaitable<T>
}
