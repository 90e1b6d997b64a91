import {
  type CompiledQuery,
  type Dialect,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely'
import { OneConnectionDriver, WholeStatements } from '../sql/kysely-driver'
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
  const driver = new OneConnectionDriver(new PostgresKyselyConnection(executor, options))
  const dialect: Dialect = {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => driver,
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
  return new Kysely<Schema>({ dialect })
}

class PostgresKyselyConnection extends WholeStatements {
  private readonly executor: PostgresExecutor
  private readonly options: KyselyPostgresOptions

  constructor(executor: PostgresExecutor, options: KyselyPostgresOptions) {
    super()
    this.executor = executor
    this.options = options
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    this.options.beforeQuery?.()
    const { rows, count } = await this.executor.execute(query.sql, query.parameters)
    return { rows: rows as Row[], numAffectedRows: BigInt(count) }
  }
}
