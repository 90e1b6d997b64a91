import type { DatabaseReport } from './database-report'
import type { StorePlace } from './open'
import type { MigrationStatus, ServerAtWork } from './sql/migrator'

/** The database as a whole, for `lode db`: its schema, its health, its size. */
export interface DatabaseAdmin extends AsyncDisposable {
  /** The file, or host and name of the database; never a password. */
  readonly location: string
  /** Where the schema stands. Changes nothing; no database yet is version 0. */
  migrationStatus(): Promise<MigrationStatus>
  /** The servers at work on it, where several share it. */
  servers(): Promise<ServerAtWork[]>
  /** Applies what is missing and gives the numbers applied. @throws `schema_mismatch` the database is newer · `conflict` see `migrateUp` */
  migrateUp(): Promise<number[]>
  /** Goes back to schema `to` and gives the numbers taken back. @throws `not_found` `schema_mismatch` · `conflict` servers need it */
  migrateDown(to: number): Promise<number[]>
  /** Reads everything and tells what is damaged; empty = nothing. */
  check(): Promise<string[]>
  /** Tells what fills it. */
  report(): Promise<DatabaseReport>
  /** Gives free space back to the system. @throws `unavailable` others use the database */
  vacuum(): Promise<{ bytesBefore: number; bytesAfter: number }>
}

/** Opens nothing yet: the database is touched at the first call. */
export async function openAdmin(place: StorePlace): Promise<DatabaseAdmin> {
  if (place.path !== undefined) return (await import('./sqlite/sqlite-admin')).sqliteAdmin(place.path)
  return (await import('./postgres/postgres-admin')).postgresAdmin(place.directUrl ?? place.url)
}
