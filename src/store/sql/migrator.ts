import { AppError } from '../../domain/errors'
import { MIGRATIONS, SCHEMA_VERSION } from '../migrations'
import type { Migration, SqlWords } from '../migrations/migration'

/** What a database gives the migrator: one exclusive connection. */
export interface MigrationTarget {
  words: SqlWords
  /** Numbers of the migrations applied; `undefined` when the database has no `schema_migrations` yet. */
  applied(): Promise<number[] | undefined>
  /**
   * Runs `steps` in one exclusive transaction: nobody else migrates meanwhile, and either all is kept or nothing.
   *
   * @throws `unavailable`  the database stayed locked.
   */
  exclusive<T>(steps: (transaction: MigrationTransaction) => Promise<T>): Promise<T>
}

export interface MigrationTransaction {
  applied(): Promise<number[] | undefined>
  run(sql: string, parameters?: (string | number)[]): Promise<void>
}

export interface MigrationStatus {
  /** Newest migration applied; 0 = an empty database. */
  version: number
  /** The version that this binary works with. */
  wanted: number
  /** Known migrations that are not applied. */
  pending: { number: number; name: string }[]
  /** Applied ones that this binary does not know: the database is newer. */
  unknown: number[]
}

const TABLE = `create table if not exists schema_migrations (
  number bigint primary key,
  name text not null,
  applied_at bigint not null
)`

/** Where the schema stands. Changes nothing. */
export async function migrationStatus(target: MigrationTarget): Promise<MigrationStatus> {
  return statusOf((await target.applied()) ?? [])
}

/**
 * Applies the migrations that are missing, each in a transaction of its own that takes its number first.
 *
 * Of two processes at once one applies a migration and the other finds it applied; both succeed.
 *
 * @param to  the last one to apply; default: all.
 * @returns the numbers that this call applied.
 * @throws `schema_mismatch`  the database is newer than this binary.
 */
export async function migrateUp(target: MigrationTarget, to = SCHEMA_VERSION): Promise<number[]> {
  const status = await migrationStatus(target)
  refuseNewer(status)
  const done: number[] = []
  for (const { number } of status.pending) {
    if (number > to) break
    const migration = migrationOf(number)
    const isMine = await target.exclusive(async (transaction) => {
      await transaction.run(TABLE)
      const applied = (await transaction.applied()) ?? []
      refuseNewer(statusOf(applied))
      if (applied.includes(number)) return false
      await transaction.run('insert into schema_migrations (number, name, applied_at) values ($1, $2, $3)', [
        number,
        migration.name,
        Date.now(),
      ])
      for (const statement of migration.up(target.words)) await transaction.run(statement)
      return true
    })
    if (isMine) done.push(number)
  }
  return done
}

/**
 * Takes back the newest migrations until the schema is at `to`. Data of tables that the older version lacks is lost.
 *
 * @param to  the version to go back to; default: one step.
 * @returns the numbers taken back, newest first.
 * @throws `schema_mismatch`  the newest one applied is not known to this binary.
 */
export async function migrateDown(target: MigrationTarget, to?: number): Promise<number[]> {
  const done: number[] = []
  for (;;) {
    const number = await target.exclusive(async (transaction) => {
      const applied = (await transaction.applied()) ?? []
      refuseNewer(statusOf(applied))
      const newest = Math.max(0, ...applied)
      const goal = to ?? (done.length === 0 ? newest - 1 : newest)
      if (newest === 0 || newest <= goal) return undefined
      await transaction.run('delete from schema_migrations where number = $1', [newest])
      for (const statement of migrationOf(newest).down(target.words)) await transaction.run(statement)
      return newest
    })
    if (number === undefined) return done
    done.push(number)
  }
}

/**
 * Refuses a database that this binary does not fit.
 *
 * @throws `schema_mismatch`
 */
export function requireCurrent(applied: number[] | undefined): void {
  const status = statusOf(applied ?? [])
  refuseNewer(status)
  if (status.pending.length === 0) return
  const details = { version: status.version, wanted: status.wanted }
  const message =
    status.version === 0
      ? 'The database is empty.'
      : `The database has schema ${status.version}; this program needs ${status.wanted}.`
  throw new AppError('schema_mismatch', message, { hint: 'Run `lode db migrate up` (or `lode up`).', details })
}

/**
 * The schema of a database that is read as it is, which may be older than this binary's.
 *
 * @throws `schema_mismatch`  it is newer, or has no tables.
 */
export function requireKnown(applied: number[]): number {
  const status = statusOf(applied)
  refuseNewer(status)
  if (status.version > 0) return status.version
  throw new AppError('schema_mismatch', 'The database is empty.', { hint: 'Run `lode up` to begin a record.' })
}

function statusOf(applied: number[]): MigrationStatus {
  const known = new Set(MIGRATIONS.map((migration) => migration.number))
  return {
    version: Math.max(0, ...applied),
    wanted: SCHEMA_VERSION,
    pending: MIGRATIONS.filter((migration) => !applied.includes(migration.number)).map(({ number, name }) => ({
      number,
      name,
    })),
    unknown: applied.filter((number) => !known.has(number)).sort((a, b) => a - b),
  }
}

function refuseNewer(status: MigrationStatus): void {
  if (status.unknown.length === 0) return
  throw new AppError(
    'schema_mismatch',
    `The database has schema ${status.version}, which is newer than this program's ${status.wanted}.`,
    {
      hint: 'Update Lodeline, or take the schema back with the newer version: `lode db migrate down`.',
      details: { version: status.version, wanted: status.wanted },
    },
  )
}

function migrationOf(number: number): Migration {
  const migration = MIGRATIONS.find((candidate) => candidate.number === number)
  if (migration === undefined) throw new AppError('internal', `There is no migration ${number}.`)
  return migration
}
