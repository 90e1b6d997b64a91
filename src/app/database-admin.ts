import { type DatabaseAdmin, openAdmin } from '../store/admin'
import { type DatabaseConfig, placeOf } from './threads/database'

export type { DatabaseAdmin } from '../store/admin'

/** The configured database as a whole, whether a server runs or not. */
export function openDatabaseAdmin(config: DatabaseConfig): Promise<DatabaseAdmin> {
  return openAdmin(placeOf(config))
}
