import { SQL } from 'bun'
import { MINUTE_MS } from '../../domain/time-units'
import { toNumber, toParameter } from '../sql/values'
import { mapPostgresError } from './postgres-errors'
import type { ProtectedPlace } from './postgres-tls'

/** Milliseconds for one statement; the longest of ours, a search, takes some ten. The server ends it then. */
export const STATEMENT_TIMEOUT_MS = 30_000
/** Milliseconds that a statement waits for a row's lock. */
export const LOCK_TIMEOUT_MS = 5_000
/** Seconds until a server that does not answer counts as away: less where there is another to try. */
const CONNECT_TIMEOUT_S = 10
const CONNECT_NEXT_TIMEOUT_S = 4
/** Milliseconds for which the server keeps a connection whose client takes nothing that it is sent. */
const DEAD_CLIENT_MS = MINUTE_MS

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

export interface ClientOptions {
  place: ProtectedPlace
  /** Behind a pooler that gives each transaction another session: nothing may be left in one, and it refuses settings at the start. */
  isPooled: boolean
  /** Another host may be tried if this one is silent. */
  hasNext: boolean
  /** The connection ended, whoever ended it. */
  onEnd: () => void
}

/** A client of one connection, which is made when it is first used. */
export function openClient({ place: { url, tls }, isPooled, hasNext, onEnd }: ClientOptions): SQL {
  return new SQL(url, {
    ...(tls && { tls }),
    adapter: 'postgres',
    max: 1,
    // Every int8 as bigint, so that it differs from text; `convertRow` makes it a number.
    bigint: true,
    // A named statement belongs to one session: by a pooler's next transaction another one has the name.
    prepare: !isPooled,
    connectionTimeout: hasNext ? CONNECT_NEXT_TIMEOUT_S : CONNECT_TIMEOUT_S,
    onclose: onEnd,
    connection: {
      application_name: 'lodeline',
      ...(!isPooled && {
        statement_timeout: STATEMENT_TIMEOUT_MS,
        lock_timeout: LOCK_TIMEOUT_MS,
        idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
        tcp_user_timeout: DEAD_CLIENT_MS,
        client_min_messages: 'warning',
      }),
    },
  })
}

/** Statements on one connection. @throws ours, see `mapPostgresError` */
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

/** Several statements without parameters in one round trip. @throws ours, see `mapPostgresError` */
export async function executeAll(sql: SQL, statements: readonly string[]): Promise<PostgresResult[]> {
  try {
    const results = await sql.unsafe(statements.join('; '))
    return (results as DriverResult[]).map(resultOf)
  } catch (thrown) {
    throw mapPostgresError(thrown)
  }
}

type DriverResult = unknown[] & { count?: number }

/** What the driver answered. */
export function resultOf(answer: DriverResult): PostgresResult {
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
