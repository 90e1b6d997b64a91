/** Brings the schema of the database in its argument up, and prints the numbers that it applied itself. */

import type { StorePlace } from '../../src/store/open'
import { postgresMigrationTarget } from '../../src/store/postgres/postgres-migration'
import { PostgresPool } from '../../src/store/postgres/postgres-pool'
import { migrateUp } from '../../src/store/sql/migrator'
import { openSqlite } from '../../src/store/sqlite/sqlite-connection'
import { sqliteMigrationTarget } from '../../src/store/sqlite/sqlite-migration'

const place = JSON.parse(process.argv[2] ?? '{}') as StorePlace
if (place.path !== undefined) {
  const connection = openSqlite(place.path, { role: 'write', create: true })
  console.log(JSON.stringify(await migrateUp(sqliteMigrationTarget(connection))))
  connection.close()
} else {
  const pool = new PostgresPool(place.url)
  console.log(JSON.stringify(await migrateUp(postgresMigrationTarget(pool))))
  await pool.close()
}
