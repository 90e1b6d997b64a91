/** What ways of recording leave in a database, so that they can be held against each other. */
import { dirname } from 'node:path'
import type { Store } from '../../src/domain/store'
import { openStore, type StorePlace } from '../../src/store/open'
import { dumpTables } from '../e2e/record/tables'
import { make } from '../store-contract/databases'

/** The rows that a way of recording leaves in an empty database. */
export async function tablesOf(record: (store: Store) => Promise<void>): Promise<Record<string, string[]>> {
  const { place, remove } = await make('sqlite')
  const store = await openStore({ ...place, mode: 'read-write', migrate: true })
  try {
    await record(store)
    return await tablesAt(place)
  } finally {
    await store.close()
    await remove()
  }
}

const PLACES: ReadonlySet<string> = new Set(['project_id', 'host_id', 'incarnation_id'])

/** Keys of projects, hosts and incarnations differ by order; the two databases' drivers give integers in two ways. */
export async function tablesAt(place: StorePlace): Promise<Record<string, string[]>> {
  const tables = await dumpTables({ home: place.path ? dirname(place.path) : '', databaseUrl: place.url })
  const clean = (row: string): string =>
    JSON.stringify(
      Object.fromEntries(Object.entries(JSON.parse(row) as object).filter(([name]) => !PLACES.has(name))),
      (_, value: unknown) => (typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value),
    )
  return Object.fromEntries(Object.entries(tables).map(([name, rows]) => [name, rows.map(clean).sort()]))
}
