import { AppError } from '../../domain/errors'
import { MINUTE_MS } from '../../domain/time-units'
import type { IndexPlan } from '../migrations/migration'
import { postgresWords } from '../migrations/words'
import {
  type AppliedMigration,
  appliedMigration,
  type MigrationTarget,
  type MigrationTransaction,
  type ServerAtWork,
} from '../sql/migrator'
import type { PostgresExecutor } from './postgres-connection'
import { isLockTimeout, mapPostgresError } from './postgres-errors'
import type { PostgresPool } from './postgres-pool'

/** Held while a migration runs; any number that nothing else in the database uses. */
const MIGRATION_LOCK = 7_106_105
/** Milliseconds between two looks whether another process migrates: one that waited in a statement would hold up an index that is built. */
const OTHERS_TURN_MS = 100
/** Milliseconds that a step waits for the lock of a table. All who come after it wait behind it for as long. */
const LOCK_WAIT_MS = 500
/** Milliseconds between two tries, so that those who waited behind it get their turn. */
const PAUSE_MS = { least: 500, most: 3_000 }
/** Milliseconds until a step is given up that never gets its locks. */
const GIVE_UP_MS = 300_000
/** Milliseconds after which a server that says nothing is not at work. */
export const SILENT_SERVER_MS = MINUTE_MS

export interface MigrationPatience {
  lockWaitMs: number
  giveUpMs: number
}

/** The migrator's view of a PostgreSQL database. */
export function postgresMigrationTarget(
  pool: PostgresPool,
  { lockWaitMs, giveUpMs }: MigrationPatience = { lockWaitMs: LOCK_WAIT_MS, giveUpMs: GIVE_UP_MS },
): MigrationTarget {
  return {
    words: postgresWords,
    applied: () => readPostgresApplied(pool),
    exclusive: (steps) =>
      alone(pool, async (session) => {
        for (const end = performance.now() + giveUpMs; ; ) {
          await session.execute('begin', [])
          try {
            await session.execute(`set local lock_timeout = ${lockWaitMs}`, [])
            const result = await steps(stepsOn(session))
            await session.execute('commit', [])
            return result
          } catch (thrown) {
            await session.execute('rollback', [])
            if (!isLockTimeout(thrown)) throw thrown
            if (performance.now() > end) throw await inTheWay(session, thrown)
            await Bun.sleep(PAUSE_MS.least + Math.random() * (PAUSE_MS.most - PAUSE_MS.least))
          }
        }
      }),
    stepwise: (steps) =>
      alone(pool, async (session) => {
        // Building an index stands in nobody's way, however long it waits.
        await session.execute('set lock_timeout = 0', [])
        return await steps({
          ...stepsOn(session),
          buildIndex: (index) => buildBesideOthers(session, index),
        })
      }),
  }
}

/** What the migrator does on a connection. */
export function stepsOn(executor: PostgresExecutor): MigrationTransaction {
  return {
    applied: () => readPostgresApplied(executor),
    run: async (text, parameters = []) => (await executor.execute(text, parameters)).count,
    async buildIndex(index) {
      await executor.execute(creating(index, ''), [])
    },
    async dropIndex({ name }) {
      await executor.execute(`drop index if exists ${name}`, [])
    },
    servers: () => readServers(executor),
  }
}

/** The migrations applied; `undefined` when the database has none. */
export async function readPostgresApplied(executor: PostgresExecutor): Promise<AppliedMigration[] | undefined> {
  if (!(await isThere(executor, 'schema_migrations'))) return undefined
  const { rows } = await executor.execute('select * from schema_migrations', [])
  return rows.map(appliedMigration)
}

/** The servers that were heard of lately. */
export async function readServers(executor: PostgresExecutor): Promise<ServerAtWork[]> {
  if (!(await isThere(executor, 'servers'))) return []
  const { rows } = await executor.execute(
    `select * from servers where seen_at > (extract(epoch from clock_timestamp()) * 1000)::bigint - ${SILENT_SERVER_MS}
      order by started_at`,
    [],
  )
  return rows.map((row) => ({
    instance: String(row.instance),
    hostName: String(row.host_name),
    version: String(row.version),
    schemaVersion: Number(row.schema_version),
    startedAt: new Date(Number(row.started_at)).toISOString(),
    seenAt: new Date(Number(row.seen_at)).toISOString(),
  }))
}

async function isThere(executor: PostgresExecutor, table: string): Promise<boolean> {
  const { rows } = await executor.execute(`select to_regclass('${table}') is not null as found`, [])
  return rows[0]?.found === true
}

/** Runs `work` on a connection of its own while no other process migrates. Its statements take as long as they take. */
async function alone<T>(pool: PostgresPool, work: (session: PostgresExecutor) => Promise<T>): Promise<T> {
  const session = await pool.session()
  try {
    for (const name of ['statement_timeout', 'idle_in_transaction_session_timeout'])
      await session.execute(`set ${name} = 0`, [])
    for (;;) {
      const { rows } = await session.execute(`select pg_try_advisory_lock(${MIGRATION_LOCK}) as is_mine`, [])
      if (rows[0]?.is_mine === true) break
      await Bun.sleep(OTHERS_TURN_MS)
    }
    return await work(session)
  } catch (thrown) {
    throw mapPostgresError(thrown)
  } finally {
    // The lock goes with the connection, in its own time: another process of ours must not find it taken.
    await session.execute(`select pg_advisory_unlock(${MIGRATION_LOCK})`, []).catch(() => {})
    session.end()
  }
}

/** What a failed try left is no index: it is made anew. */
async function buildBesideOthers(session: PostgresExecutor, index: IndexPlan): Promise<void> {
  const { rows } = await session.execute(
    `select indisvalid as is_valid from pg_index where indexrelid = to_regclass('${index.name}')`,
    [],
  )
  if (rows[0]?.is_valid === false) await session.execute(`drop index concurrently ${index.name}`, [])
  await session.execute(creating(index, 'concurrently '), [])
}

const creating = ({ name, on, isUnique }: IndexPlan, how: string): string =>
  `create ${isUnique ? 'unique ' : ''}index ${how}if not exists ${name} on ${on}`

/** Says whose transaction is the oldest. */
async function inTheWay(session: PostgresExecutor, cause: unknown): Promise<AppError> {
  const { rows } = await session.execute(
    `select pid, application_name as name, extract(epoch from clock_timestamp() - xact_start)::int as seconds from pg_stat_activity
      where datname = current_database() and xact_start is not null and pid <> pg_backend_pid() order by xact_start limit 1`,
    [],
  )
  const [oldest] = rows
  return new AppError(
    'unavailable',
    'A table of the database stays locked, so the migration was given up. Nothing of it was kept.',
    {
      hint: oldest
        ? `The oldest transaction is that of process ${oldest.pid} (${oldest.name}), ${oldest.seconds} seconds old. End it, then try again.`
        : 'Try again when fewer processes use the database.',
      cause,
    },
  )
}
