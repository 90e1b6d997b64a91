import type { BlobStore } from '../../domain/blob-store'
import { costOf } from '../../domain/cost/price'
import { AppError } from '../../domain/errors'
import type { UnitTimes } from '../../domain/unit-times'
import { noBlobs } from '../blobs/no-blobs'
import { SealedReader } from '../packs/sealed-chunks'
import type { KeptStore } from '../sql/kept-store'
import { migrateUp, requireCurrent } from '../sql/migrator'
import type { ReadContext } from '../sql/read-context'
import type { Schema } from '../sql/tables'
import { storeAccess } from '../store-access'
import { storeReads } from '../store-reads'
import { kyselyOverPostgres } from './kysely-postgres'
import { postgresCapabilities } from './postgres-capabilities'
import { mapPostgresError } from './postgres-errors'
import { postgresMigrationTarget, readPostgresApplied } from './postgres-migration'
import { type PoolLimits, PostgresPool } from './postgres-pool'
import { enterServer, type ServerEntry } from './postgres-registry'
import { PostgresSequencer } from './postgres-sequencer'
import { postgresUnit } from './postgres-unit'
import { PostgresWake } from './postgres-wake'
import { PostgresWriter } from './postgres-writer'
import { ShortUnits } from './short/short-units'

const LOOK_AT_FEED = `select seq, exists (select 1 from feed where seq is null) as "isLeft" from feed_position`

/** Milliseconds that reads under way have when the store is closed. */
const CLOSE_MS = 5_000

export interface PostgresStoreOptions {
  /** `postgres://user:password@host:port/database`; several hosts, with commas between them, are a primary and its standbys. */
  url: string
  /** The database itself, where `url` leads to a pooler that gives each transaction another session. Default: `url` is no such pooler. */
  directUrl?: string | undefined
  /** How long silence is borne. Default: see `PoolOptions`. */
  limits?: PoolLimits
  /** `read-only` refuses `write`. */
  mode: 'read-write' | 'read-only'
  /** Makes the tables of an empty database. Another schema than ours is refused: others may work on it, so a person says when. Default: false */
  migrate?: boolean
  /** The server that opens it, for those who change the schema. */
  server?: ServerEntry
  /** Where it is noted how long units took. */
  unitTimes?: UnitTimes
  /** Where packs are; left out: nothing is read from any. */
  blobs?: BlobStore
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
  const { url, directUrl, limits } = options
  const own = { ...(limits && { limits }) }
  const pool = new PostgresPool(url, { isPooled: directUrl !== undefined, ...own })
  // A pool opens nothing before it is used, so a second one costs nothing.
  const direct = directUrl === undefined ? pool : new PostgresPool(directUrl, own)
  try {
    const applied = await readPostgresApplied(pool)
    const isEmpty = applied === undefined || applied.length === 0
    const isMade = isEmpty && options.migrate === true && options.mode === 'read-write'
    if (isMade) await migrateUp(postgresMigrationTarget(direct))
    requireCurrent(isMade ? await readPostgresApplied(pool) : applied, { isPrepared: true })
    const leave = options.server && (await enterServer(pool, options.server))
    return postgresStore(pool, direct, { ...options, ...(leave && { leave }) })
  } catch (thrown) {
    await pool.close()
    await direct.close()
    throw mapPostgresError(thrown)
  }
}

/** The store on PostgreSQL: a pool, units in transactions of their own, a sequencer for the feed. */
function postgresStore(
  pool: PostgresPool,
  direct: PostgresPool,
  { mode, leave, unitTimes, blobs = noBlobs }: PostgresStoreOptions & { leave?: () => Promise<void> },
): KeptStore {
  // A pass that failed is made again by the next commit that adds to the feed, or the next look while somebody listens.
  const sequencer = new PostgresSequencer(pool, () => {})
  const wakes = new PostgresWake(direct, async () => {
    const { rows } = await pool.execute(LOOK_AT_FEED, [])
    if (mode === 'read-write' && rows[0]?.isLeft === true) sequencer.wake()
    return Number(rows[0]?.seq)
  })
  const writer =
    mode === 'read-write'
      ? new PostgresWriter(pool, {
          transaction: postgresUnit,
          onFeed: () => sequencer.wake(),
          short: (clock) => new ShortUnits(pool, clock, (askedAt, isWhole) => sequencer.passed(askedAt, isWhole)),
        })
      : undefined
  const access = storeAccess()
  const context: ReadContext = {
    db: kyselyOverPostgres<Schema>(pool, { beforeQuery: access.assertReadable }),
    capabilities: postgresCapabilities,
    costOf,
    sealed: new SealedReader(async () => blobs),
  }
  return {
    ...storeReads(context, (wake) => wakes.subscribe(wake)),
    write: access.write(writer, unitTimes),

    /** The server looks after itself (autovacuum, checkpoints); deleted rows are overwritten in its own time. */
    async maintain() {
      access.assertReadable()
    },

    close: access.close(async () => {
      await leave?.()
      await writer?.close()
      await wakes.close()
      await sequencer.close()
      await pool.close(CLOSE_MS)
      await direct.close()
    }),
  }
}
