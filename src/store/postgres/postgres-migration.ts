import { postgresWords } from '../migrations/words'
import type { MigrationTarget } from '../sql/migrator'
import type { PostgresExecutor } from './postgres-connection'
import { mapPostgresError } from './postgres-errors'
import type { PostgresPool } from './postgres-pool'

/** Held while a migration runs; any number that nothing else in the database uses. */
const MIGRATION_LOCK = 7_106_105

/** The migrator's view of a PostgreSQL database. */
export function postgresMigrationTarget(pool: PostgresPool): MigrationTarget {
  return {
    words: postgresWords,
    applied: () => readPostgresApplied(pool),
    async exclusive(steps) {
      try {
        return await pool.begin(
          (executor) =>
            steps({
              applied: () => readPostgresApplied(executor),
              async run(text, parameters = []) {
                await executor.execute(text, parameters)
              },
            }),
          [`select pg_advisory_xact_lock(${MIGRATION_LOCK})`],
          { isPatient: true },
        )
      } catch (thrown) {
        throw mapPostgresError(thrown)
      }
    },
  }
}

/** Numbers of the migrations applied; `undefined` when the database has none. */
export async function readPostgresApplied(executor: PostgresExecutor): Promise<number[] | undefined> {
  const table = await executor.execute(`select to_regclass('schema_migrations') is not null as found`, [])
  if (table.rows[0]?.found !== true) return undefined
  const { rows } = await executor.execute('select number from schema_migrations', [])
  return rows.map((row) => Number(row.number))
}
