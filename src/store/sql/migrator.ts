import { AppError } from '../../domain/errors'
import { compatibleMigration } from '../migrations/database/0055-compatible'
import { KNOWN_MIGRATIONS } from '../migrations/known-migrations'
import type { IndexPlan, Migration, SqlWords } from '../migrations/migration'

/** A migration that a database has. */
export interface AppliedMigration {
  number: number
  /** The oldest schema whose programs work beside it; `null` = those alone that know it. */
  minCompatible: number | null
}

/** A server at work on the database. */
export interface ServerAtWork {
  instance: string
  hostName: string
  version: string
  /** The newest migration that it knows, and needs. */
  schemaVersion: number
  startedAt: string
  seenAt: string
}

/** What a database gives the migrator: one exclusive connection. */
export interface MigrationTarget {
  words: SqlWords
  /** The migrations applied; `undefined` when the database has no `schema_migrations` yet. */
  applied(): Promise<AppliedMigration[] | undefined>
  /**
   * Runs `steps` in one exclusive transaction: nobody else migrates meanwhile, and either all is kept or nothing. It may run them again
   * when others stood in the way.
   *
   * @throws `unavailable`  the database stayed locked.
   */
  exclusive<T>(steps: (transaction: MigrationTransaction) => Promise<T>): Promise<T>
  /**
   * Runs `steps` while nobody else migrates, each statement for itself: a failure leaves what was done before it. Left out: the
   * database's transactions are in nobody's way, so it is done in one.
   */
  stepwise?<T>(steps: (session: MigrationTransaction) => Promise<T>): Promise<T>
}

export interface MigrationTransaction {
  applied(): Promise<AppliedMigration[] | undefined>
  /** @returns how many rows were changed */
  run(sql: string, parameters?: (string | number)[]): Promise<number>
  buildIndex(index: IndexPlan): Promise<void>
  dropIndex(index: IndexPlan): Promise<void>
  /** Others that work on it now. */
  servers(): Promise<ServerAtWork[]>
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
  /** Whether this binary works beside the unknown ones. */
  isCompatible: boolean
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

export interface MigrateUpOptions {
  /** The last one to apply; default: all. */
  to?: number
  /** Default: those of this program. */
  migrations?: readonly Migration[]
}

/**
 * Applies the migrations that are missing, each by itself. If two processes do this at once, one applies a migration and the other finds it
 * applied; both succeed.
 *
 * @returns the numbers that this call applied.
 * @throws `schema_mismatch`  the database is newer than this binary.
 * @throws `conflict`  a server is at work that does not work beside a migration.
 */
export async function migrateUp(
  target: MigrationTarget,
  { to = Number.POSITIVE_INFINITY, migrations: given }: MigrateUpOptions = {},
): Promise<number[]> {
  const before = (await target.applied()) ?? []
  const status = statusOf(before, given)
  refuseNewer(status)
  const done: number[] = []
  if (status.pending.length === 0) return done
  const migrations = given ?? (await ownMigrations())
  for (const { number } of statusOf(before, migrations).pending) {
    if (number > to) break
    const migration = migrationOf(number, migrations)
    const apply = 'up' in migration ? target.exclusive : (target.stepwise ?? target.exclusive)
    const isMine = await apply(async (session) => {
      await session.run(TABLE)
      const applied = (await session.applied()) ?? []
      refuseNewer(statusOf(applied, migrations))
      if (applied.some((each) => each.number === number)) return false
      await refuseOlderServers(session, migration)
      await perform(session, migration, target.words)
      await session.run('insert into schema_migrations (number, name, applied_at) values ($1, $2, $3)', [
        number,
        migration.name,
        Date.now(),
      ])
      if (migration.minCompatible !== undefined && number > compatibleMigration.number)
        await session.run('update schema_migrations set min_compatible = $1 where number = $2', [
          migration.minCompatible,
          number,
        ])
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
 * @throws `conflict`  a server is at work that needs what would be taken.
 */
export async function migrateDown(
  target: MigrationTarget,
  to?: number,
  given?: readonly Migration[],
): Promise<number[]> {
  const migrations = given ?? (await ownMigrations())
  const done: number[] = []
  for (;;) {
    const step = async (session: MigrationTransaction): Promise<number | undefined> => {
      const applied = (await session.applied()) ?? []
      refuseUnknown(statusOf(applied, migrations))
      const newest = Math.max(0, ...applied.map(({ number }) => number))
      const goal = to ?? (done.length === 0 ? newest - 1 : newest)
      if (newest === 0 || newest <= goal) return undefined
      const migration = migrationOf(newest, migrations)
      await refuseServersThatNeed(session, goal)
      if ('indexes' in migration)
        for (const index of migration.indexes(target.words).toReversed()) await session.dropIndex(index)
      await session.run('delete from schema_migrations where number = $1', [newest])
      if ('down' in migration) for (const statement of migration.down(target.words)) await session.run(statement)
      return newest
    }
    const number = await target.exclusive(step)
    if (number === undefined) return done
    done.push(number)
  }
}

/**
 * Refuses a database that this binary does not fit.
 *
 * @param isPrepared  somebody brings its schema up by hand
 * @throws `schema_mismatch`
 */
export function requireCurrent(applied: AppliedMigration[] | undefined, { isPrepared = false } = {}): void {
  const status = statusOf(applied ?? [])
  refuseNewer(status)
  if (status.pending.length === 0) return
  const details = { version: status.version, wanted: status.wanted }
  const message =
    status.version === 0
      ? 'The database is empty.'
      : `The database has schema ${status.version}; this program needs ${status.wanted}.`
  throw new AppError('schema_mismatch', message, {
    hint:
      isPrepared && status.version > 0
        ? 'Run `lode db migrate up`: servers of the former version can work on meanwhile, or it says which ones can not.'
        : 'Run `lode db migrate up` (or `lode up`).',
    details,
  })
}

/**
 * The schema of a database that is read as it is, which may be older than this binary's.
 *
 * @throws `schema_mismatch`  it is newer, or has no tables.
 */
export function requireKnown(applied: readonly Pick<AppliedMigration, 'number'>[]): number {
  const status = statusOf(applied.map(({ number }) => ({ number, minCompatible: null })))
  refuseUnknown(status)
  if (status.version > 0) return status.version
  throw new AppError('schema_mismatch', 'The database is empty.', { hint: 'Run `lode up` to begin a record.' })
}

/** A row of `schema_migrations`, of whatever age. */
export const appliedMigration = (row: Record<string, unknown>): AppliedMigration => ({
  number: Number(row.number),
  minCompatible: row.min_compatible === null || row.min_compatible === undefined ? null : Number(row.min_compatible),
})

async function perform(session: MigrationTransaction, migration: Migration, words: SqlWords): Promise<void> {
  if ('up' in migration) for (const statement of migration.up(words)) await session.run(statement)
  else if ('indexes' in migration) for (const index of migration.indexes(words)) await session.buildIndex(index)
  else while ((await session.run(migration.backfill(words))) > 0);
}

/** Few starts have anything to migrate. */
const ownMigrations = async (): Promise<readonly Migration[]> => (await import('../migrations')).MIGRATIONS

function statusOf(
  applied: AppliedMigration[],
  migrations: readonly Pick<Migration, 'number' | 'name'>[] = KNOWN_MIGRATIONS,
): MigrationStatus {
  const known = new Set(migrations.map((migration) => migration.number))
  const has = new Set(applied.map(({ number }) => number))
  const wanted = migrations.at(-1)?.number ?? 0
  const unknown = applied.filter(({ number }) => !known.has(number))
  return {
    version: Math.max(0, ...has),
    wanted,
    pending: migrations.filter(({ number }) => !has.has(number)).map(({ number, name }) => ({ number, name })),
    unknown: unknown.map(({ number }) => number).sort((a, b) => a - b),
    isCompatible: unknown.every(({ minCompatible }) => minCompatible !== null && minCompatible <= wanted),
  }
}

function refuseNewer(status: MigrationStatus): void {
  if (!status.isCompatible) refuseUnknown(status)
}

function refuseUnknown(status: MigrationStatus): void {
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

async function refuseOlderServers(session: MigrationTransaction, migration: Migration): Promise<void> {
  const oldest = migration.minCompatible ?? migration.number
  refuse(
    (await session.servers()).filter(({ schemaVersion }) => schemaVersion < oldest),
    `Migration ${migration.number} needs schema ${oldest} of every server at work`,
    'Update or stop these servers, then run `lode db migrate up` again.',
  )
}

async function refuseServersThatNeed(session: MigrationTransaction, goal: number): Promise<void> {
  refuse(
    (await session.servers()).filter(({ schemaVersion }) => schemaVersion > goal),
    `Servers at work need more than schema ${goal}`,
    'Stop these servers first. One that was killed counts for another minute.',
  )
}

function refuse(servers: ServerAtWork[], message: string, hint: string): void {
  if (servers.length === 0) return
  const names = servers.map(({ hostName, version }) => `${hostName} (${version})`).join(', ')
  throw new AppError('conflict', `${message}: ${names}.`, {
    hint,
    details: { servers: servers.map(({ instance }) => instance) },
  })
}

function migrationOf(number: number, migrations: readonly Migration[]): Migration {
  const migration = migrations.find((candidate) => candidate.number === number)
  if (migration === undefined) throw new AppError('internal', `There is no migration ${number}.`)
  return migration
}
