import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely'
import { AppError } from '../../domain/errors'
import type { PostgresExecutor } from './postgres-connection'

export interface KyselyPostgresOptions {
  /** Called before each statement; throws when the statement may not run (a closed store, a read inside a unit). */
  beforeQuery?: () => void
}

/** Kysely over the pool, or over the connection of one transaction. It begins no transactions of its own. */
export function kyselyOverPostgres<Schema>(
  executor: PostgresExecutor,
  options: KyselyPostgresOptions = {},
): Kysely<Schema> {
  const driver = new PostgresDriver(executor, options)
  const dialect: Dialect = {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => driver,
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
  return new Kysely<Schema>({ dialect })
}

class PostgresDriver implements Driver {
  private readonly connection: DatabaseConnection

  constructor(executor: PostgresExecutor, options: KyselyPostgresOptions) {
    this.connection = new PostgresKyselyConnection(executor, options)
  }

  async init(): Promise<void> {}

  /** One for all: the pool behind it gives each statement a connection. */
  async acquireConnection(): Promise<DatabaseConnection> {
    return this.connection
  }

  async beginTransaction(): Promise<void> {
    throw new AppError('internal', 'Only the store starts transactions.')
  }

  async commitTransaction(): Promise<void> {}
  async rollbackTransaction(): Promise<void> {}
  async releaseConnection(): Promise<void> {}
  /** The pool's owner closes it. */
  async destroy(): Promise<void> {}
}

class PostgresKyselyConnection implements DatabaseConnection {
  private readonly executor: PostgresExecutor
  private readonly options: KyselyPostgresOptions

  constructor(executor: PostgresExecutor, options: KyselyPostgresOptions) {
    this.executor = executor
    this.options = options
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    this.options.beforeQuery?.()
    const { rows, count } = await this.executor.execute(query.sql, query.parameters)
    return { rows: rows as Row[], numAffectedRows: BigInt(count) }
  }

  // biome-ignore lint/correctness/useYield: an open cursor holds a connection and old rows; lists are paged instead.
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new AppError('internal', 'Queries are not streamed. Read page by page.')
  }
}
