import type { WholeAdmin } from '../../app/database-admin'
import type { Context } from '../kit/context'

/** Opens the database itself, without a server: for `lode db` alone, which works on both databases. */
export async function openAdmin(context: Context): Promise<WholeAdmin> {
  const { openDatabaseAdmin } = await import('../../app/database-admin')
  return openDatabaseAdmin(context.config())
}
