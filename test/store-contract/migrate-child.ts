/** Brings the schema of the database in its argument up, and prints the numbers that it applied itself. */
import { openPool } from '../../src/store/dialect/postgres-connection'
import { postgresMigrationTarget } from '../../src/store/dialect/postgres-migration'
import { openSqlite } from '../../src/store/dialect/sqlite-connection'
import { sqliteMigrationTarget } from '../../src/store/dialect/sqlite-migration'
import { migrateUp } from '../../src/store/migrator'
import type { StorePlace } from '../../src/store/open'

const place = JSON.parse(process.argv[2] ?? '{}') as StorePlace
if (place.path !== undefined) {
  const connection = openSqlite(place.path, { role: 'write', create: true })
  console.log(JSON.stringify(await migrateUp(sqliteMigrationTarget(connection))))
  connection.close()
} else {
  const pool = openPool(place.url)
  console.log(JSON.stringify(await migrateUp(postgresMigrationTarget(pool))))
  await pool.close()
}
