import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { AppError } from '../../domain/errors'
import { checkIntegers, toParameter } from '../sql/values'
import type { SqliteConnection } from './sqlite-connection'
import { isBusy, mapSqliteError } from './sqlite-errors'

export interface KyselySqliteOptions {
  /** Called before each statement; throws when the statement may not run (a unit that ended, a read inside a unit). */
  beforeQuery?: () => void
  /** Milliseconds for which a locked database is tried again, without blocking the loop. Default 0: not at all. */
  busyTimeoutMs?: number
}

/**
 * Kysely over one open connection. Statements are compiled once and run at once; there is no queue, no mutex and no
 * transaction of its own: units of work belong to `SqliteWriter`.
 */
export function kyselyOverSqlite<Schema>(
  connection: SqliteConnection,
  options: KyselySqliteOptions = {},
): Kysely<Schema> {
  const driver = new SqliteDriver(connection, options)
  const dialect: Dialect = {
    createAdapter: () => new Adapter(),
    createDriver: () => driver,
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
  return new Kysely<Schema>({ dialect })
}

class Adapter extends SqliteAdapter {
  /** The stock adapter puts a mutex around the connection; ours runs each statement to its end at once. */
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

class SqliteDriver implements Driver {
  private readonly connection: DatabaseConnection

  constructor(connection: SqliteConnection, options: KyselySqliteOptions) {
    this.connection = new SqliteKyselyConnection(connection, options)
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.connection
  }

  async beginTransaction(): Promise<void> {
    throw new AppError('internal', 'Only the store starts transactions.')
  }

  async commitTransaction(): Promise<void> {}
  async rollbackTransaction(): Promise<void> {}
  async releaseConnection(): Promise<void> {}
  /** The connection's owner closes it. */
  async destroy(): Promise<void> {}
}

class SqliteKyselyConnection implements DatabaseConnection {
  private readonly connection: SqliteConnection
  private readonly options: KyselySqliteOptions

  constructor(connection: SqliteConnection, options: KyselySqliteOptions) {
    this.connection = connection
    this.options = options
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    this.options.beforeQuery?.()
    const deadline = performance.now() + (this.options.busyTimeoutMs ?? 0)
    for (let waitMs = 1; ; waitMs = Math.min(waitMs * 2, 10)) {
      try {
        return this.execute<Row>(query)
      } catch (thrown) {
        if (!isBusy(thrown) || performance.now() >= deadline) throw mapSqliteError(thrown, this.connection.path)
        await Bun.sleep(waitMs)
      }
    }
  }

  // biome-ignore lint/correctness/useYield: an open cursor pins the write-ahead log; lists are paged instead.
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new AppError('internal', 'Queries are not streamed. Read page by page.')
  }

  private execute<Row>(query: CompiledQuery): QueryResult<Row> {
    const statement = this.connection.statement<Row>(query.sql)
    const parameters = query.parameters.map(toParameter)
    if (statement.columnNames.length > 0) {
      const rows = statement.all(...parameters)
      checkIntegers(rows)
      return { rows }
    }
    const { changes, lastInsertRowid } = statement.run(...parameters)
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
  }
}
