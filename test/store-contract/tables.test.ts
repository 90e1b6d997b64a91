import { expect, test } from 'bun:test'
import { SQL } from 'bun'
import { KNOWN_MIGRATIONS_FILE, knownMigrationsText } from '../../scripts/generate-migrations'
import { generateTables, plainType, type ReadColumn, sqliteColumns, TABLES_FILE } from '../../scripts/generate-tables'
import { openStore } from '../../src/store/open'
import { make } from './databases'

test('the tables that the compiler sees are those that the migrations make', async () => {
  expect(await generateTables()).toBe(await Bun.file(TABLES_FILE).text())
})

test('the migrations that a program knows without loading them are all that there are', async () => {
  expect(knownMigrationsText()).toBe(await Bun.file(KNOWN_MIGRATIONS_FILE).text())
})

const EMPTY = { isEmpty: true }

/** PostgreSQL numbers the feed after its commits, by tables of its own; its full-text index is an ordinary table. */
const IN_ANOTHER_FORM = ['event_text', 'feed', 'feed_position']

test('PostgreSQL has the same columns as SQLite', async () => {
  const [sqlite, postgres] = [await make('sqlite', EMPTY), await make('postgres', EMPTY)]
  try {
    for (const { place } of [sqlite, postgres])
      await (await openStore({ ...place, mode: 'read-write', migrate: true })).close()
    expect(inOrder(await postgresColumns(postgres.place.url ?? ''))).toEqual(
      inOrder(sqliteColumns(sqlite.place.path ?? '')),
    )
  } finally {
    await sqlite.remove()
    await postgres.remove()
  }
})

const inOrder = (columns: readonly ReadColumn[]): ReadColumn[] =>
  columns
    .filter(({ table }) => !IN_ANOTHER_FORM.includes(table))
    .sort((a, b) => (`${a.table}.${a.name}` < `${b.table}.${b.name}` ? -1 : 1))

async function postgresColumns(url: string): Promise<ReadColumn[]> {
  const sql = new SQL(url, { max: 1 })
  try {
    const rows: (Omit<ReadColumn, 'type'> & { type: string })[] = await sql.unsafe(`
      select table_name as "table", column_name as name, data_type as type, is_nullable = 'YES' as "isNullable",
          case when is_generated = 'ALWAYS' then 'derived'
               when is_identity = 'YES' or column_default is not null then 'filled' end as "byDatabase"
        from information_schema.columns
       where table_schema = 'public' and table_name <> 'event_text'`)
    return rows.map((row) => ({ ...row, type: plainType(row.type) }))
  } finally {
    await sql.close()
  }
}
