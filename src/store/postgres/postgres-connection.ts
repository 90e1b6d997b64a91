import { SQL } from 'bun'
import { toNumber, toParameter } from '../sql/values'
import { mapPostgresError } from './postgres-errors'
import { protect } from './postgres-tls'

/** Connections of one process. */
const POOL_SIZE = 10
/** Milliseconds for one statement; the longest of ours, a search, takes some ten. */
const STATEMENT_TIMEOUT_MS = 30_000
/** Milliseconds that a statement waits for a row's lock. */
const LOCK_TIMEOUT_MS = 5_000
/** Seconds until a server that does not answer counts as away. */
const CONNECT_TIMEOUT_S = 10

/** What runs statements: the pool, or the connection of a transaction. */
export interface PostgresExecutor {
  /** Runs one statement with `$1`-style parameters. int8 columns come back as numbers, bytes as `Uint8Array`. */
  execute(sql: string, parameters: readonly unknown[]): Promise<PostgresResult>
}

/** What runs the statements of a unit. */
export interface UnitExecutor extends PostgresExecutor {
  /**
   * Has a statement run whose answer nobody needs: a failure is the commit's.
   *
   * @returns a promise only when too many are under way: what is sent next waits for it
   */
  send(sql: string, parameters: readonly unknown[]): void | Promise<void>
}

export interface PostgresResult {
  rows: Record<string, unknown>[]
  /** Rows changed by an insert, update or delete. */
  count: number
}

/** Opens the pool; connections are made when they are first needed. @throws `invalid`, see `protect` */
export function openPool(at: string): SQL {
  const { url, tls } = protect(at)
  return new SQL(url, {
    ...(tls && { tls }),
    adapter: 'postgres',
    max: POOL_SIZE,
    // Every int8 as bigint, so that it can be told from text; `convertRow` makes it a number.
    bigint: true,
    connectionTimeout: CONNECT_TIMEOUT_S,
    connection: {
      application_name: 'lodeline',
      statement_timeout: STATEMENT_TIMEOUT_MS,
      lock_timeout: LOCK_TIMEOUT_MS,
      idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
      client_min_messages: 'warning',
    },
  })
}

/** Statements on the pool or on a transaction's connection. @throws ours, see `mapPostgresError` */
export function executorOf(sql: SQL): PostgresExecutor {
  return {
    async execute(text, parameters) {
      try {
        return resultOf(await sql.unsafe(text, parameters.map(toParameter)))
      } catch (thrown) {
        throw mapPostgresError(thrown)
      }
    },
  }
}

/** What the driver answered. */
export function resultOf(answer: unknown[] & { count?: number }): PostgresResult {
  const rows = Array.from(answer, (row) => convertRow(row as Record<string, unknown>))
  return { rows, count: Number(answer.count ?? 0) }
}

function convertRow(row: Record<string, unknown>): Record<string, unknown> {
  for (const name in row) {
    const value = row[name]
    if (typeof value === 'bigint') row[name] = toNumber(value)
    else if (value instanceof Buffer) row[name] = new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
  }
  return row
}
