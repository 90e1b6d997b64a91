import type { SQL } from 'bun'
import { costOf } from '../../domain/cost/price'
import { AppError } from '../../domain/errors'
import type { KeptStore } from '../sql/kept-store'
import { migrateUp, requireCurrent } from '../sql/migrator'
import type { ReadContext } from '../sql/read-context'
import type { Schema } from '../sql/tables'
import { storeAccess } from '../store-access'
import { storeReads } from '../store-reads'
import { kyselyOverPostgres } from './kysely-postgres'
import { postgresCapabilities } from './postgres-capabilities'
import { executorOf, openPool } from './postgres-connection'
import { mapPostgresError } from './postgres-errors'
import { postgresMigrationTarget, readPostgresApplied } from './postgres-migration'
import { PostgresSequencer } from './postgres-sequencer'
import { postgresUnit } from './postgres-unit'
import { PostgresWake } from './postgres-wake'
import { PostgresWriter } from './postgres-writer'

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
    throw new AppError('invalid', 'The database URL must begin with postgres://.', {
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
