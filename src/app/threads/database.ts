import { join } from 'node:path'
import type { Config } from '../../config/load'
import { openStore } from '../../store/open'
import type { KeptStore } from './record-engine'

/** The embedded database's file. */
export const databasePath = (home: string): string => join(home, 'lodeline.db')

export interface OpenDatabaseOptions {
  mode: 'read-write' | 'read-only'
  /** Brings the schema up first: `up`, `serve` and `db migrate` only. */
  migrate?: boolean
  /** Memory of the threads' write gate. */
  gate?: SharedArrayBuffer
}

/** Opens the database that the configuration names. */
export async function openDatabase(
  config: Pick<Config, 'home' | 'databaseUrl'>,
  options: OpenDatabaseOptions,
): Promise<KeptStore> {
  const where = config.databaseUrl === null ? { path: databasePath(config.home) } : { url: config.databaseUrl }
  return await openStore({ ...where, ...options })
}
