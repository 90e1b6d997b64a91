import type { Config } from '../config/load'
import { type DatabaseAdmin, openAdmin } from '../store/admin'
import { databasePath } from './threads/database'

export type { DatabaseAdmin } from '../store/admin'

/** The configured database as a whole, whether a server runs or not. */
export function openDatabaseAdmin(config: Pick<Config, 'home' | 'databaseUrl'>): Promise<DatabaseAdmin> {
  return openAdmin(config.databaseUrl === null ? { path: databasePath(config.home) } : { url: config.databaseUrl })
}
