import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../domain/errors'
import { type DatabaseAdmin, openAdmin } from '../store/admin'
import { SERVER_LOCK } from '../util/process/port-holder'
import { tryProcessLock } from '../util/process/process-lock'
import { type DatabaseConfig, placeOf } from './threads/database'

export type { DatabaseAdmin } from '../store/admin'

/** The configured database as a whole, whether a server runs or not. */
export async function openDatabaseAdmin(config: DatabaseConfig): Promise<DatabaseAdmin> {
  const admin = await openAdmin(placeOf(config))
  if (config.databaseUrl !== null || !existsSync(config.home)) return admin
  return {
    ...admin,
    [Symbol.asyncDispose]: () => admin[Symbol.asyncDispose](),
    migrateDown: (to) => withoutServer(config.home, () => admin.migrateDown(to)),
  }
}

/** Keeps the folder's server from running meanwhile. @throws `conflict` it runs */
async function withoutServer<T>(home: string, work: () => Promise<T>): Promise<T> {
  const lock = tryProcessLock(join(home, SERVER_LOCK))
  if (lock === null)
    throw new AppError('conflict', `A server is running for ${home}, and needs the schema as it is.`, {
      hint: 'Stop it first.',
    })
  try {
    return await work()
  } finally {
    lock.release()
  }
}
