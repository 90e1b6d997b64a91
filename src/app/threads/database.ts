import { join } from 'node:path'
import type { Config } from '../../config/load'
import { readOwnPrices } from '../../config/price-file'
import type { BlobStore } from '../../domain/blob-store'
import type { UnitTimes } from '../../domain/unit-times'
import { BLOBS_FOLDER } from '../../store/blobs/blobs-folder'
import { type OpenStoreSettings, openStore, type StorePlace } from '../../store/open'
import type { KeptStore } from './record-engine'

/** The embedded database's file. */
export const databasePath = (home: string): string => join(home, 'lodeline.db')

export interface OpenDatabaseOptions {
  mode: 'read-write' | 'read-only'
  /** See `OpenStoreSettings`. */
  migrate?: boolean
  server?: OpenStoreSettings['server'] & {}
  /** Memory of the threads' write gate. */
  gate?: SharedArrayBuffer
  /** Where it is noted how long units took. */
  unitTimes?: UnitTimes
}

/** What of the settings says where the database is. */
export type DatabaseConfig = Pick<Config, 'home' | 'databaseUrl'> & Partial<Pick<Config, 'databaseDirectUrl' | 'blobs'>>

export const placeOf = ({ home, databaseUrl, databaseDirectUrl }: DatabaseConfig): StorePlace =>
  databaseUrl === null ? { path: databasePath(home) } : { url: databaseUrl, directUrl: databaseDirectUrl ?? undefined }

/** Opens the database that the configuration names; what is read from it has the prices of Lodeline's folder. */
export async function openDatabase(config: DatabaseConfig, options: OpenDatabaseOptions): Promise<KeptStore> {
  readOwnPrices(config.home)
  const blobs = await blobsOf(config)
  return await openStore({ ...placeOf(config), ...options, ...(blobs && { blobs }) })
}

/** Where packs and the like are; `null` = with PostgreSQL and no object storage nowhere: no disk is that of all servers. */
export async function blobsOf({ home, databaseUrl, blobs = null }: DatabaseConfig): Promise<BlobStore | null> {
  if (blobs === null && databaseUrl !== null) return null
  const { openBlobs } = await import('../../store/blobs/open-blobs')
  return openBlobs(blobs === null ? { folder: join(home, BLOBS_FOLDER) } : { url: blobs })
}
