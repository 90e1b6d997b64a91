import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { AppError, isAppError } from '../domain/errors'
import { checkPacks } from '../engine/packs/check-packs'
import { type DatabaseAdmin, openAdmin } from '../store/admin'
import { SERVER_LOCK } from '../util/process/port-holder'
import { tryProcessLock } from '../util/process/process-lock'
import { blobsOf, type DatabaseConfig, openDatabase, placeOf } from './threads/database'

export type { DatabaseAdmin } from '../store/admin'

/** The configured database as a whole, whether a server runs or not. */
export async function openDatabaseAdmin(config: DatabaseConfig): Promise<DatabaseAdmin> {
  const admin = await openAdmin(placeOf(config))
  const isOwn = config.databaseUrl === null && existsSync(config.home)
  return {
    ...admin,
    [Symbol.asyncDispose]: () => admin[Symbol.asyncDispose](),
    async check() {
      const problems = await admin.check()
      return problems.length > 0 ? problems : await packProblems(config)
    },
    migrateDown: (to) => (isOwn ? withoutServer(config.home, () => admin.migrateDown(to)) : admin.migrateDown(to)),
  }
}

/** Of what lies beside the database. Another release's schema is not read: that release checks it. */
async function packProblems(config: DatabaseConfig): Promise<string[]> {
  try {
    const store = await openDatabase(config, { mode: 'read-only' })
    try {
      return await checkPacks(store.packs, await blobsOf(config))
    } finally {
      await store.close()
    }
  } catch (error) {
    if (isAppError(error) && error.code === 'schema_mismatch') return []
    throw error
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
