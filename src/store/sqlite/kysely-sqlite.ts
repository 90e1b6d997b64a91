import {
  type CompiledQuery,
  type Dialect,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { OneConnectionDriver, WholeStatements } from '../sql/kysely-driver'
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
  const driver = new OneConnectionDriver(new SqliteKyselyConnection(connection, options))
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

class SqliteKyselyConnection extends WholeStatements {
  private readonly connection: SqliteConnection
  private readonly options: KyselySqliteOptions
  /** Statements that answer with rows. The driver makes the list of their columns anew each time that it is asked. */
  private readonly rowGivers = new WeakMap<object, boolean>()

  constructor(connection: SqliteConnection, options: KyselySqliteOptions) {
    super()
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

  private givesRows(statement: { readonly columnNames: readonly string[] }): boolean {
    const known = this.rowGivers.get(statement)
    if (known !== undefined) return known
    const gives = statement.columnNames.length > 0
    this.rowGivers.set(statement, gives)
    return gives
  }

  private execute<Row>(query: CompiledQuery): QueryResult<Row> {
    const statement = this.connection.statement<Row>(query.sql)
    const parameters = query.parameters.map(toParameter)
    if (this.givesRows(statement)) {
      const rows = statement.all(...parameters)
      checkIntegers(rows)
      return { rows }
    }
    const { changes, lastInsertRowid } = statement.run(...parameters)
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
  }
}
