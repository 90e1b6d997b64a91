import type { IndexPlan } from '../migrations/migration'
import { sqliteWords } from '../migrations/words'
import {
  type AppliedMigration,
  appliedMigration,
  type MigrationTarget,
  type MigrationTransaction,
} from '../sql/migrator'
import type { SqliteConnection } from './sqlite-connection'
import { isBusy, mapSqliteError } from './sqlite-errors'

/** Milliseconds that a migration waits for others to end theirs, or their last writes. */
const LOCK_WAIT_MS = 10_000

/** The migrator's view of a SQLite file. The connection must be a writer's and have nothing else to do meanwhile. */
export function sqliteMigrationTarget(connection: SqliteConnection): MigrationTarget {
  const transaction: MigrationTransaction = {
    applied: async () => readApplied(connection),
    async run(sql, parameters = []) {
      // `?1` and `$1` differ in that SQLite takes the second for a name.
      return connection.raw.run(sql.replaceAll(/\$(\d)/g, '?$1'), parameters).changes
    },
    async buildIndex({ name, on, isUnique }: IndexPlan) {
      connection.raw.run(`create ${isUnique ? 'unique ' : ''}index if not exists ${name} on ${on}`)
    },
    async dropIndex({ name }) {
      connection.raw.run(`drop index if exists ${name}`)
    },
    // A lock in the folder shows which process works on a file: see `app/database-admin.ts`.
    servers: async () => [],
  }
  return {
    words: sqliteWords,
    applied: async () => readApplied(connection),
    async exclusive(steps) {
      await begin(connection)
      try {
        const result = await steps(transaction)
        connection.raw.run('commit')
        return result
      } catch (thrown) {
        if (connection.inTransaction) connection.raw.run('rollback')
        throw mapSqliteError(thrown, connection.path)
      }
    },
  }
}

/** The migrations applied to the file; `undefined` when it has none. */
export function readApplied(connection: SqliteConnection): AppliedMigration[] | undefined {
  try {
    const table = connection.get(`select 1 as found from sqlite_schema where name = 'schema_migrations'`)
    if (table === undefined) return undefined
    return connection.all<Record<string, unknown>>('select * from schema_migrations').map(appliedMigration)
  } catch (thrown) {
    throw mapSqliteError(thrown, connection.path)
  }
}

async function begin(connection: SqliteConnection): Promise<void> {
  const deadline = performance.now() + LOCK_WAIT_MS
  for (;;) {
    try {
      connection.raw.run('begin immediate')
      return
    } catch (thrown) {
      if (!isBusy(thrown) || performance.now() >= deadline) throw mapSqliteError(thrown, connection.path)
      await Bun.sleep(10)
    }
  }
}
