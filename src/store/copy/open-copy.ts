import type { StorePlace } from '../open'
import type { DatabaseSource, DatabaseTarget } from './copy'

/** Opens a database to be copied. @throws `not_found` `schema_mismatch` `unavailable` */
export async function openSource(place: StorePlace): Promise<DatabaseSource> {
  if (place.path !== undefined) return (await import('../sqlite/sqlite-copy')).sqliteSource(place.path)
  return await (await import('../postgres/postgres-copy')).postgresSource(place.directUrl ?? place.url)
}

/** Opens a database to be filled. Touches nothing before `begin`. */
export async function openTarget(place: StorePlace): Promise<DatabaseTarget> {
  if (place.path !== undefined) return (await import('../sqlite/sqlite-copy')).sqliteTarget(place.path)
  return (await import('../postgres/postgres-copy')).postgresTarget(place.directUrl ?? place.url)
}
