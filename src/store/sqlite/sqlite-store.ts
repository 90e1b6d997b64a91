import { dirname, join } from 'node:path'
import type { BlobStore } from '../../domain/blob-store'
import { costOf } from '../../domain/cost/price'
import type { WriteTx } from '../../domain/store'
import type { UnitTimes } from '../../domain/unit-times'
import { BLOBS_FOLDER } from '../blobs/blobs-folder'
import { SealedReader } from '../packs/sealed-chunks'
import type { KeptStore } from '../sql/kept-store'
import { migrateUp, requireCurrent } from '../sql/migrator'
import type { ReadContext } from '../sql/read-context'
import type { Schema } from '../sql/tables'
import { WriteGate } from '../sql/write-gate'
import { readOnly, storeAccess } from '../store-access'
import { storeReads } from '../store-reads'
import { kyselyOverSqlite } from './kysely-sqlite'
import { sqliteCapabilities } from './sqlite-capabilities'
import { openSqlite, type SqliteConnection } from './sqlite-connection'
import { maintainSqlite } from './sqlite-maintenance'
import { readApplied, sqliteMigrationTarget } from './sqlite-migration'
import { SqliteWake } from './sqlite-wake'
import { SqliteWriter, type UnitViews } from './sqlite-writer'

export interface SqliteStoreOptions {
  /** The database file. */
  path: string
  /** `read-only` opens no write connection; `write` is refused. */
  mode: 'read-write' | 'read-only'
  /** Makes the file and brings the schema up first. Default: false, and another schema than ours is refused. */
  migrate?: boolean
  /** Memory of `createWriteGate`, shared by all threads of this process that write. */
  gate?: SharedArrayBuffer
  /** Milliseconds that a read or a unit waits for a foreign lock. Default: 2,000. */
  busyTimeoutMs?: number
  /** Opens on a network file system all the same: only one host uses the file. Default: false. */
  allowNetwork?: boolean
  /** Where it is noted how long units took. */
  unitTimes?: UnitTimes
  /** Where packs are; default: beside the file. */
  blobs?: BlobStore
}

/**
 * Opens the store on a SQLite file.
 *
 * @throws `not_found`        no such file, and `migrate` is not set
 * @throws `schema_mismatch`  the file's schema is older or newer than ours
 * @throws `invalid` `storage_readonly` `storage_corrupt` `storage_full` `unavailable`
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<KeptStore> {
  const allowNetwork = options.allowNetwork === true
  let writer: SqliteConnection | undefined
  let reader: SqliteConnection | undefined
  try {
    if (options.mode === 'read-write') {
      writer = openSqlite(options.path, { role: 'write', create: options.migrate === true, allowNetwork })
      if (options.migrate === true) await migrateUp(sqliteMigrationTarget(writer))
    }
    reader = openSqlite(options.path, { role: 'read', allowNetwork })
    requireCurrent(readApplied(reader))
    // Most commands only read: the write side, with all its programs, is loaded where it is opened.
    const views = writer === undefined ? undefined : (await import('./sqlite-unit')).sqliteTransactions(writer)
    return sqliteStore(
      reader,
      writer === undefined || views === undefined ? undefined : { connection: writer, views },
      options,
    )
  } catch (thrown) {
    reader?.close()
    writer?.close()
    throw thrown
  }
}

const blobsBeside = async (path: string): Promise<BlobStore> =>
  (await import('../blobs/open-blobs')).openBlobs({ folder: join(dirname(path), BLOBS_FOLDER) })

/** The store on SQLite: one write connection with its writer, one connection for reads. */
function sqliteStore(
  reader: SqliteConnection,
  writes: { connection: SqliteConnection; views: UnitViews<WriteTx> } | undefined,
  options: SqliteStoreOptions,
): KeptStore {
  const busyTimeoutMs = options.busyTimeoutMs ?? 2_000
  const gate = options.gate === undefined ? undefined : new WriteGate(options.gate)
  const wakes = new SqliteWake(reader, gate)
  const writer =
    writes &&
    new SqliteWriter(writes.connection, {
      views: writes.views,
      busyTimeoutMs,
      onCommit: () => wakes.wake(),
      ...(gate !== undefined && { gate }),
    })
  const access = storeAccess()
  const context: ReadContext = {
    db: kyselyOverSqlite<Schema>(reader, { beforeQuery: access.assertReadable, busyTimeoutMs }),
    capabilities: sqliteCapabilities(reader),
    costOf,
    sealed: new SealedReader(async () => options.blobs ?? (await blobsBeside(options.path))),
  }
  return {
    ...storeReads(context, (wake) => wakes.subscribe(wake)),
    write: access.write(writer, options.unitTimes),

    async maintain(task) {
      if (writes === undefined) throw readOnly()
      await maintainSqlite(reader.path, task)
    },

    close: access.close(async () => {
      wakes.close()
      await writer?.close()
      gate?.leave()
      reader.close()
      writes?.connection.close()
    }),
  }
}
