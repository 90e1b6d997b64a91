import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../domain/errors'
import { checkPacks } from '../engine/packs/check-packs'
import { type DatabaseAdmin, openAdmin } from '../store/admin'
import { SERVER_LOCK } from '../util/process/port-holder'
import { tryProcessLock } from '../util/process/process-lock'
import { blobsOf, type DatabaseConfig, openDatabase, placeOf } from './threads/database'

export type { DatabaseAdmin } from '../store/admin'

/** A database with what lies beside it. */
export interface WholeAdmin extends DatabaseAdmin {
  /** Reads all packs and tells what is damaged; empty = nothing. @throws `schema_mismatch` another release's database · `unavailable` */
  checkPacks(): Promise<string[]>
}

/** The configured database as a whole, whether a server runs or not. */
export async function openDatabaseAdmin(config: DatabaseConfig): Promise<WholeAdmin> {
  const admin = await openAdmin(placeOf(config))
  const isOwn = config.databaseUrl === null && existsSync(config.home)
  return {
    ...admin,
    [Symbol.asyncDispose]: () => admin[Symbol.asyncDispose](),
    async checkPacks() {
      const store = await openDatabase(config, { mode: 'read-only' })
      try {
        return await checkPacks(store.packs, await blobsOf(config))
      } finally {
        await store.close()
      }
    },
    migrateDown: (to) => (isOwn ? withoutServer(config.home, () => admin.migrateDown(to)) : admin.migrateDown(to)),
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
