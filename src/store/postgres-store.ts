import type { SQL } from 'bun'
import { AppError } from '../domain/errors'
import { costOf } from '../domain/price'
import { kyselyOverPostgres } from './dialect/kysely-postgres'
import { executorOf, openPool } from './dialect/postgres-connection'
import { mapPostgresError } from './dialect/postgres-errors'
import { postgresMigrationTarget, readPostgresApplied } from './dialect/postgres-migration'
import { PostgresSequencer } from './dialect/postgres-sequencer'
import { PostgresWake } from './dialect/postgres-wake'
import { PostgresWriter } from './dialect/postgres-writer'
import type { KeptStore } from './kept-store'
import { migrateUp, requireCurrent } from './migrator'
import { postgresCapabilities } from './postgres-capabilities'
import { postgresUnit } from './postgres-unit'
import type { ReadContext } from './read-context'
import type { Schema } from './schema'
import { storeAccess } from './store-access'
import { storeReads } from './store-reads'

export interface PostgresStoreOptions {
  /** `postgres://user:password@host:port/database`. */
  url: string
  /** `read-only` refuses `write`. */
  mode: 'read-write' | 'read-only'
  /** Brings the schema up first. Default: false, and another schema than ours is refused. */
  migrate?: boolean
}

/**
 * Opens the store on a PostgreSQL database.
 *
 * @throws `unavailable` (server away, login refused) `schema_mismatch` `invalid` (the URL)
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<KeptStore> {
  if (!/^postgres(ql)?:\/\//.test(options.url)) {
    throw new AppError('invalid', 'the database URL must begin with postgres://', {
      hint: 'Set LODELINE_DATABASE_URL to postgres://user:password@host:port/database, or unset it for SQLite.',
    })
  }
  const pool = openPool(options.url)
  try {
    if (options.migrate === true && options.mode === 'read-write') await migrateUp(postgresMigrationTarget(pool))
    requireCurrent(await readPostgresApplied(executorOf(pool)))
    return postgresStore(pool, options)
  } catch (thrown) {
    await pool.close({ timeout: 0 })
    throw mapPostgresError(thrown)
  }
}

/** The store on PostgreSQL: a pool, units in transactions of their own, a sequencer for the feed. */
function postgresStore(pool: SQL, { mode }: PostgresStoreOptions): KeptStore {
  // A pass that failed is made again by the next commit, or the next look while somebody listens.
  const sequencer = new PostgresSequencer(pool, () => {})
  const wakes = new PostgresWake(pool, () => {
    if (mode === 'read-write') sequencer.wake()
  })
  const writer =
    mode === 'read-write'
      ? new PostgresWriter(pool, { transaction: postgresUnit, onCommit: () => sequencer.wake() })
      : undefined
  const access = storeAccess()
  const context: ReadContext = {
    db: kyselyOverPostgres<Schema>(executorOf(pool), { beforeQuery: access.assertReadable }),
    capabilities: postgresCapabilities,
    costOf,
  }
  return {
    ...storeReads(context, (wake) => wakes.subscribe(wake)),
    write: access.write(writer),

    /** The server looks after itself (autovacuum, checkpoints); deleted rows are overwritten in its own time. */
    async maintain() {
      access.assertReadable()
    },

    close: access.close(async () => {
      await writer?.close()
      await wakes.close()
      await sequencer.close()
      await pool.close({ timeout: 5 })
    }),
  }
}
