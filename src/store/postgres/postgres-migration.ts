import type { SQL } from 'bun'
import { postgresWords } from '../migrations/words'
import type { MigrationTarget } from '../sql/migrator'
import { executorOf, type PostgresExecutor } from './postgres-connection'
import { mapPostgresError } from './postgres-errors'

/** Held while a migration runs; any number that nothing else in the database uses. */
const MIGRATION_LOCK = 7_106_105

/** The migrator's view of a PostgreSQL database. */
export function postgresMigrationTarget(pool: SQL): MigrationTarget {
  return {
    words: postgresWords,
    applied: () => readPostgresApplied(executorOf(pool)),
    async exclusive(steps) {
      try {
        return await pool.begin(async (sql) => {
          const executor = executorOf(sql)
          await executor.execute(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`, [])
          return await steps({
            applied: () => readPostgresApplied(executor),
            async run(text, parameters = []) {
              await executor.execute(text, parameters)
            },
          })
        })
      } catch (thrown) {
        throw mapPostgresError(thrown)
      }
    },
  }
}

/** Numbers of the migrations applied; `undefined` when the database has none. */
export async function readPostgresApplied({ execute }: PostgresExecutor): Promise<number[] | undefined> {
  const table = await execute(`select to_regclass('schema_migrations') is not null as found`, [])
  if (table.rows[0]?.found !== true) return undefined
  const { rows } = await execute('select number from schema_migrations', [])
  return rows.map((row) => Number(row.number))
}
