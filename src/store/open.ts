import type { BlobStore } from '../domain/blob-store'
import type { UnitTimes } from '../domain/unit-times'
import type { ServerEntry } from './postgres/postgres-registry'
import type { KeptStore } from './sql/kept-store'
import { openSqliteStore } from './sqlite/sqlite-store'

/** Which database. */
export type StorePlace =
  | {
      /** The SQLite file. */
      path: string
      url?: undefined
      directUrl?: undefined
    }
  | {
      /** `postgres://user:password@host:port/database`. */
      url: string
      /** The database itself, where `url` leads to a pooler that gives each transaction another session. */
      directUrl?: string | undefined
      path?: undefined
    }

export type OpenStoreOptions = StorePlace & OpenStoreSettings

export interface OpenStoreSettings {
  /** `read-only` refuses `write` and opens no write connection. */
  mode: 'read-write' | 'read-only'
  /**
   * Makes the database where there is none, and brings the schema of a SQLite file up first; for `up` and `serve` only. Default: false.
   * On PostgreSQL others may be at work: a person brings the schema up, by `db migrate`.
   */
  migrate?: boolean
  /** The server that opens it, for those who change the schema of a database that several share. */
  server?: ServerEntry
  /** Memory of `createWriteGate`, shared by all threads of this process that write to a SQLite file. */
  gate?: SharedArrayBuffer
  /** Where it is noted how long units took. */
  unitTimes?: UnitTimes
  /** Milliseconds that a read or a unit waits for a foreign lock. Default: 2,000. */
  busyTimeoutMs?: number
  /** Opens SQLite on a network file system all the same: only one host uses the file. Default: false. */
  allowNetwork?: boolean
  /** Where packs are. Default: in the folder `blobs` beside the SQLite file; of PostgreSQL nowhere, so that none can be read. */
  blobs?: BlobStore
}

/**
 * Opens the store.
 *
 * @throws `not_found` `schema_mismatch` `invalid` `storage_readonly` `storage_corrupt` `storage_full` `unavailable`
 */
export async function openStore(options: OpenStoreOptions): Promise<KeptStore> {
  if (options.path !== undefined) return await openSqliteStore(options)
  // Loaded only when it is needed: a command on the embedded database starts without it.
  const { openPostgresStore } = await import('./postgres/postgres-store')
  return await openPostgresStore(options)
}
