import { Database } from 'bun:sqlite'
import { SQL } from 'bun'
import { databasePath, openDatabase } from '../../src/app/threads/database'

/** Rows of one statement. */
const ROWS = 2_000
/** What each database makes for itself, or keeps in another form. */
const NOT_COPIED = ['schema_migrations', 'servers', 'database_epoch', 'feed', 'feed_position', 'event_text']

/** A value by its column's type. SQLite keeps a fraction that a figure was given with. */
const READ_AS: Readonly<Record<string, (column: string) => string>> = {
  bytea: (column) => `hex(${column})`,
  bigint: (column) => `cast(${column} as integer)`,
}

interface Column {
  name: string
  type: string
}

/** Fills a new database of PostgreSQL with the rows of a filled one of SQLite, so that both answer the same questions. */
export async function copyToPostgres(home: string, url: string): Promise<void> {
  await (await openDatabase({ home, databaseUrl: url }, { mode: 'read-write', migrate: true })).close()
  const db = new Database(databasePath(home), { readonly: true })
  const sql = new SQL(url, { max: 1 })
  try {
    // Rows come in no order that foreign keys allow, and what triggers would write is among them.
    await sql`set session_replication_role = replica`
    for (const [table, columns] of await tablesOf(sql)) await copyTable(db, sql, table, columns)
    await sql`insert into event_text (event_id, session_id, words)
      select id, session_id, setweight(to_tsvector('simple', text), 'A') from conversation_events where text is not null order by id`
    await raiseCounters(sql)
    await sql`analyze`
    await sql`vacuum`
  } finally {
    await sql.end()
    db.close()
  }
}

async function tablesOf(sql: SQL): Promise<Map<string, Column[]>> {
  const rows: { table_name: string; name: string; type: string }[] =
    await sql`select c.relname as table_name, a.attname as name, format_type(a.atttypid, a.atttypmod) as type
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and a.attgenerated = ''
     order by c.relname, a.attnum`
  const tables = Map.groupBy(rows, ({ table_name }) => table_name)
  for (const table of NOT_COPIED) tables.delete(table)
  return tables
}

async function copyTable(db: Database, sql: SQL, table: string, columns: readonly Column[]): Promise<void> {
  const names = columns.map(({ name }) => `"${name}"`).join(', ')
  const given = columns.map(({ name, type }) => `"${name}" ${type === 'bytea' ? 'text' : type}`).join(', ')
  const taken = columns
    .map(({ name, type }) => (type === 'bytea' ? `decode("${name}", 'hex')` : `"${name}"`))
    .join(', ')
  const read = columns.map(({ name, type }) => `${READ_AS[type]?.(`"${name}"`) ?? `"${name}"`} as "${name}"`).join(', ')
  const insert = `insert into "${table}" (${names}) overriding system value select ${taken} from json_to_recordset($1::text::json) as r(${given})`
  await sql.unsafe(`delete from "${table}"`)
  let rows: unknown[] = []
  const write = async () => {
    if (rows.length > 0) await sql.unsafe(insert, [JSON.stringify(rows)])
    rows = []
  }
  for (const row of db.query(`select ${read} from "${table}"`).iterate()) {
    rows.push(row)
    if (rows.length === ROWS) await write()
  }
  await write()
}

/** Rows that a server adds get numbers behind those that were copied. */
async function raiseCounters(sql: SQL): Promise<void> {
  const counters: { table_name: string; name: string }[] =
    await sql`select c.relname as table_name, a.attname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
     where a.attidentity <> '' and c.relkind = 'r' and c.relnamespace = 'public'::regnamespace`
  for (const { table_name, name } of counters)
    await sql.unsafe(
      `select setval(pg_get_serial_sequence('"${table_name}"', '${name}'), coalesce(max("${name}"), 0) + 1, false) from "${table_name}"`,
    )
}
