import { AppError } from '../../domain/errors'
import type { DatabaseAdmin } from '../admin'
import { KNOWN_MIGRATIONS, SCHEMA_VERSION } from '../migrations/known-migrations'
import { migrateDown, migrateUp, migrationStatus } from '../sql/migrator'
import { openSqlite, type SqliteConnection } from './sqlite-connection'
import { isBusy, mapSqliteError } from './sqlite-errors'
import { findLockHolder } from './sqlite-file'
import { sqliteMigrationTarget } from './sqlite-migration'
import { sqliteReport } from './sqlite-report'

/** Milliseconds that `vacuum` waits for writers to end. */
const LOCK_WAIT_MS = 5_000
/** Kinds of damage that `check` lists before it stops. */
const MAX_PROBLEMS = 100

/** The database file for those who care for it as a whole. The file is opened at the first call that needs it. */
export function sqliteAdmin(path: string): DatabaseAdmin {
  let connection: SqliteConnection | undefined
  const open = (create = false): SqliteConnection => (connection ??= openSqlite(path, { role: 'write', create }))
  return {
    location: path,
    async migrationStatus() {
      try {
        return await migrationStatus(sqliteMigrationTarget(open()))
      } catch (thrown) {
        if (!(thrown instanceof AppError) || thrown.code !== 'not_found') throw thrown
        // No file is no mistake here: everything is still to be applied.
        const pending = [...KNOWN_MIGRATIONS]
        return { version: 0, wanted: SCHEMA_VERSION, pending, unknown: [], isCompatible: true }
      }
    },
    servers: async () => [],
    migrateUp: () => migrateUp(sqliteMigrationTarget(open(true))),
    migrateDown: (to) => migrateDown(sqliteMigrationTarget(open()), to),
    async check() {
      try {
        const file = open()
        const rows = file.all<{ integrity_check: string }>(`pragma integrity_check(${MAX_PROBLEMS})`)
        const broken = file.all<{ table: string; rowid: number | null; parent: string }>('pragma foreign_key_check')
        return [
          ...rows.map((row) => row.integrity_check).filter((line) => line !== 'ok'),
          ...broken
            .slice(0, MAX_PROBLEMS)
            .map((row) => `${row.table} ${row.rowid ?? ''}: names a row of ${row.parent} that is not there`),
        ]
      } catch (thrown) {
        const error = mapSqliteError(thrown, path)
        if (error.code === 'storage_corrupt') return [error.message]
        throw error
      }
    },
    async report() {
      try {
        return sqliteReport(open())
      } catch (thrown) {
        throw mapSqliteError(thrown, path)
      }
    },
    async vacuum() {
      const file = open()
      const bytesBefore = bytesOf(file)
      await whenFree(file, () => file.exec('vacuum'))
      await whenFree(file, () => file.exec('pragma wal_checkpoint(truncate)'))
      return { bytesBefore, bytesAfter: bytesOf(file) }
    },
    async [Symbol.asyncDispose]() {
      connection?.close()
    },
  }
}

function bytesOf(connection: SqliteConnection): number {
  const pages = connection.get<{ page_count: number }>('pragma page_count')?.page_count ?? 0
  const size = connection.get<{ page_size: number }>('pragma page_size')?.page_size ?? 0
  return pages * size
}

/** Tries again while another process writes, without blocking. @throws `unavailable` naming who holds the lock */
async function whenFree(connection: SqliteConnection, work: () => void): Promise<void> {
  const deadline = performance.now() + LOCK_WAIT_MS
  for (;;) {
    try {
      work()
      return
    } catch (thrown) {
      if (!isBusy(thrown)) throw mapSqliteError(thrown, connection.path)
      if (performance.now() >= deadline) {
        const holder = findLockHolder(connection.path)
        throw new AppError('unavailable', `The database is in use${holder ? ` by ${holder}` : ''}.`, {
          hint: 'Try again when fewer processes use it.',
        })
      }
      await Bun.sleep(20)
    }
  }
}
