import { databaseLocation } from '../../util/net/database-url'
import type { DatabaseAdmin } from '../admin'
import { migrateDown, migrateUp, migrationStatus } from '../sql/migrator'
import { postgresMigrationTarget, readServers } from './postgres-migration'
import { PostgresPool } from './postgres-pool'
import { postgresReport } from './postgres-report'

/** A PostgreSQL database for those who care for it as a whole. */
export function postgresAdmin(url: string): DatabaseAdmin {
  const pool = new PostgresPool(url, { limits: null })
  const target = postgresMigrationTarget(pool)
  const execute = async (text: string) => (await pool.execute(text, [])).rows
  const size = async () =>
    Number((await execute('select pg_database_size(current_database()) as bytes'))[0]?.bytes ?? 0)
  return {
    location: databaseLocation(url),
    migrationStatus: () => migrationStatus(target),
    servers: () => readServers(pool),
    migrateUp: () => migrateUp(target),
    migrateDown: (to) => migrateDown(target, to),
    // The server keeps its own files sound; what it can report of damage are indexes that it gave up.
    async check() {
      const rows = await execute(
        'select indexrelid::regclass::text as name from pg_index where not indisvalid order by 1',
      )
      return rows.map((row) => `index ${String(row.name)} is not valid: run REINDEX INDEX ${String(row.name)}`)
    },
    report: () => postgresReport(pool),
    async vacuum() {
      const bytesBefore = await size()
      const session = await pool.session()
      try {
        // Takes as long as it takes; a statement's usual limit would stop it half way.
        await session.execute('set statement_timeout = 0', [])
        await session.execute('vacuum (analyze)', [])
      } finally {
        session.end()
      }
      return { bytesBefore, bytesAfter: await size() }
    },
    [Symbol.asyncDispose]: () => pool.close(),
  }
}
