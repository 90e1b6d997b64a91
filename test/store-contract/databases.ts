import { afterAll, beforeAll, describe } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type OpenStoreSettings, openStore, type StorePlace } from '../../src/store/open'
import type { KeptStore } from '../../src/store/sql/kept-store'
import { copyTables } from '../lab/tables'
import { testDatabase } from '../postgres'

export type DatabaseKind = 'sqlite' | 'postgres'

/** Each as a row: for tests that take turns, see `test/lab/in-turn.ts`. */
export const DATABASES: [DatabaseKind][] = [['sqlite'], ['postgres']]

/** One empty database for the tests of a file. */
export interface ContractDatabase {
  kind: DatabaseKind
  /** Where it is. */
  readonly place: StorePlace
  /** A store on it, open for the whole file, schema up to date. */
  readonly store: KeptStore
  /** One more store on it; the test closes it. */
  open(settings?: Partial<OpenStoreSettings>): Promise<KeptStore>
}

/** Runs the same tests on SQLite and on PostgreSQL. */
export function onEachDatabase(tests: (database: ContractDatabase) => void): void {
  for (const kind of ['sqlite', 'postgres'] as const) {
    describe(kind, () => {
      let made: { place: StorePlace; remove: () => Promise<void> } | undefined
      let store: KeptStore | undefined
      beforeAll(async () => {
        made = await make(kind)
        store = await openStore({ ...made.place, mode: 'read-write', migrate: true })
      }, 60_000)
      afterAll(async () => {
        await store?.close()
        await made?.remove()
      })
      tests({
        kind,
        get place() {
          return present(made).place
        },
        get store() {
          return present(store)
        },
        open: (settings) => openStore({ ...present(made).place, mode: 'read-write', ...settings }),
      })
    })
  }
}

/**
 * A fresh place for a database. It has all tables in a test run and nothing in a test file by itself, so open it with `migrate`.
 *
 * @param isEmpty  whether nothing may be in it, for tests of the migrations
 */
export async function make(
  kind: DatabaseKind,
  { isEmpty = false }: { isEmpty?: boolean } = {},
): Promise<{ place: StorePlace; remove: () => Promise<void> }> {
  if (kind === 'postgres') {
    const database = await testDatabase({ isEmpty })
    return { place: { url: database.url }, remove: () => database.drop() }
  }
  const folder = temporaryFolder()
  const path = join(folder, 'lodeline.db')
  if (!isEmpty) copyTables(folder)
  return {
    place: { path },
    remove: async () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** A folder that the test removes. */
export const temporaryFolder = (): string => mkdtempSync('/tmp/ld-')

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('used outside a test')
  return value
}

/** Waits for a promise to be rejected and gives the error. */
export async function failureOf(promise: Promise<unknown>): Promise<{ code?: string; message: string; hint?: string }> {
  try {
    await promise
  } catch (thrown) {
    return thrown as { code?: string; message: string; hint?: string }
  }
  throw new Error('expected a failure')
}
