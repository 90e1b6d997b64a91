import { AppError } from '../../domain/errors'
import type { CopyPiece, DatabaseSource, DatabaseTarget } from '../copy/copy'
import { decodePart, encodePart } from '../copy/part-text'
import { bytesOf, type CopiedValue, PART_LIMITS, PartBuilder, type TablePart } from '../copy/table-part'
import { beginEpoch } from '../migrations/database/0164-epoch'
import { postgresWords } from '../migrations/words'
import { type MigrationTarget, migrateUp, requireKnown } from '../sql/migrator'
import type { PostgresExecutor } from './postgres-connection'
import { mapPostgresError } from './postgres-errors'
import { readPostgresApplied, stepsOn } from './postgres-migration'
import { PostgresPool } from './postgres-pool'

/** Not copied: migrations write the one, servers at work the other. Rows that migrations make in other tables are the source's to bring. */
const OWN_TABLES = `'schema_migrations', 'servers'`
/** Bytes of a piece that is taken: its rows are in memory at once, and one row may be large. */
const MAX_PIECE_BYTES = 1_024 * 1_048_576
/** Bytes of a piece that are given at once. */
const GIVEN_BYTES = 262_144
/** Rows that a cursor gives at once: few at first, since a row may be large; then as many as make about a part. */
const FETCH_ROWS = { first: 10, most: 2_000 }
/** PostgreSQL takes 65,535 parameters for a statement. */
const MAX_PARAMETERS = 30_000
/** The name under which the last numbers of identity columns travel, after all tables; no table has it. */
const COUNTERS = 'identity-counters'
const COUNTER_COLUMNS = ['table', 'column', 'last']

/** A database as it is now: one transaction reads everything, and needs no program of PostgreSQL on this machine. */
export async function postgresSource(url: string): Promise<DatabaseSource> {
  const session = await openSession(url, 'begin isolation level repeatable read read only')
  try {
    const schema = requireKnown((await readPostgresApplied(session)) ?? [])
    return {
      kind: 'postgres',
      schema,
      async *pieces() {
        for (const [table, columns] of await tablesOf(session)) {
          let number = 0
          for await (const part of partsOf(session, table, columns)) {
            yield pieceOf(part, ++number)
            giveBack()
          }
        }
        yield pieceOf(await countersOf(session), 1)
      },
      [Symbol.asyncDispose]: () => session.end(),
    }
  } catch (thrown) {
    await session.end()
    throw thrown
  }
}

/** A database without tables. All is done in one transaction: tables and rows are there together, or nothing is. */
export function postgresTarget(url: string): DatabaseTarget {
  let session: Session | undefined
  let tables = new Map<string, Column[]>()
  let links: { table: string; name: string; definition: string }[] = []
  const opened = (): Session => {
    if (session === undefined) throw new Error('used before begin')
    return session
  }
  return {
    kind: 'postgres',
    async begin(schema) {
      requireKnown([{ number: schema }])
      session = await openSession(url, 'begin')
      if ((await readPostgresApplied(session)) !== undefined)
        throw new AppError('conflict', 'The PostgreSQL database is not empty.', {
          hint: 'Create an empty database, and name it with LODELINE_DATABASE_URL.',
        })
      await migrateUp(migrationTarget(session), { to: schema })
      tables = await tablesOf(session)
      // Rows come in no order that the links between them would allow. They are checked at the end.
      links = await linksOf(session)
      for (const { table, name } of links)
        await session.execute(`alter table ${quoted(table)} drop constraint ${quoted(name)}`, [])
      for (const table of tables.keys()) await session.execute(`delete from ${quoted(table)}`, [])
      // What triggers would write is in the copy.
      for (const table of tables.keys()) await session.execute(`alter table ${quoted(table)} disable trigger user`, [])
    },
    async add(piece) {
      giveBack()
      const part = await partOf(piece)
      if (part.table === COUNTERS) return await setCounters(opened(), tables, part)
      const known = tables.get(part.table)
      const columns = part.columns.map((name) => known?.find((column) => column.name === name))
      if (known === undefined || !columns.every((column) => column !== undefined))
        throw new AppError('invalid', `The database has no such table or column: ${part.table.slice(0, 100)}.`)
      await insertRows(opened(), part, columns)
    },
    async commit() {
      const open = opened()
      for (const table of tables.keys()) await open.execute(`alter table ${quoted(table)} enable trigger user`, [])
      for (const { table, name, definition } of links)
        await open.execute(`alter table ${quoted(table)} add constraint ${quoted(name)} ${definition}`, [])
      await raiseCounters(open)
      await migrateUp(migrationTarget(open))
      await open.execute(beginEpoch(postgresWords), [])
      await open.execute('commit', [])
    },
    [Symbol.asyncDispose]: async () => await session?.end(),
  }
}

/** The texts of a part weigh several times what it holds, and the collector lets them pile up: without this, memory grew with the record. */
const giveBack = (): void => Bun.gc(true)

/** e.g. `tasks/000001.jsonl`. */
function pieceOf(part: TablePart, number: number): CopyPiece {
  const bytes = encodePart(part)
  return {
    name: `${part.table}/${String(number).padStart(6, '0')}.jsonl`,
    size: bytes.length,
    bytes: (async function* () {
      // What compresses them copies what it gets.
      for (let at = 0; at < bytes.length; at += GIVEN_BYTES) yield bytes.subarray(at, at + GIVEN_BYTES)
    })(),
  }
}

async function partOf({ name, size, bytes }: CopyPiece): Promise<TablePart> {
  const table = /^([a-z_-]{1,63})\/\d{1,12}\.jsonl$/.exec(name)?.[1]
  if (table === undefined || size > MAX_PIECE_BYTES)
    throw new AppError(
      'invalid',
      `No copy of a PostgreSQL database has the part ${JSON.stringify(name.slice(0, 100))}.`,
    )
  const parts: Uint8Array[] = []
  for await (const part of bytes) parts.push(part)
  return decodePart(table, Buffer.concat(parts))
}

/** One connection in one transaction, for as long as it takes. */
interface Session extends PostgresExecutor {
  /** Ends it; what was not committed is taken back. */
  end(): Promise<void>
}

async function openSession(url: string, begin: string): Promise<Session> {
  const pool = new PostgresPool(url, { limits: null })
  try {
    const session = await pool.session()
    await session.execute(begin, [])
    for (const name of ['statement_timeout', 'idle_in_transaction_session_timeout'])
      await session.execute(`set local ${name} = 0`, [])
    return {
      execute: session.execute,
      async end() {
        await session.execute('rollback', []).catch(() => {})
        session.end()
        await pool.close()
      },
    }
  } catch (thrown) {
    await pool.close()
    throw mapPostgresError(thrown)
  }
}

/** Migrations within the session's own transaction. */
const migrationTarget = (session: Session): MigrationTarget => ({
  words: postgresWords,
  applied: () => readPostgresApplied(session),
  exclusive: (steps) => steps(stepsOn(session)),
})

interface Column {
  name: string
  /** As `format_type` gives it. */
  type: string
}

/** Tables by name with their columns, without generated ones. */
async function tablesOf({ execute }: PostgresExecutor): Promise<Map<string, Column[]>> {
  const { rows } = await execute(
    `select c.relname as table_name, a.attname as name, format_type(a.atttypid, a.atttypmod) as type
       from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace and a.attgenerated = ''
        and c.relname not in (${OWN_TABLES})
      order by c.relname, a.attnum`,
    [],
  )
  const tables = new Map<string, Column[]>()
  for (const { table_name, name, type } of rows) {
    const columns = tables.get(String(table_name)) ?? []
    columns.push({ name: String(name), type: String(type) })
    tables.set(String(table_name), columns)
  }
  return tables
}

async function linksOf({ execute }: PostgresExecutor) {
  const { rows } = await execute(
    `select t.relname as table_name, k.conname as name, pg_get_constraintdef(k.oid) as definition
       from pg_constraint k join pg_class t on t.oid = k.conrelid
      where k.contype = 'f' and k.connamespace = current_schema()::regnamespace order by 1, 2`,
    [],
  )
  return rows.map(({ table_name, name, definition }) => ({
    table: String(table_name),
    name: String(name),
    definition: String(definition),
  }))
}

async function* partsOf(session: Session, table: string, columns: readonly Column[]): AsyncGenerator<TablePart> {
  const names = columns.map(({ name }) => name)
  const builder = new PartBuilder(table, names)
  // The driver knows no words of a text search: they travel as text.
  const list = columns.map(({ name, type }) =>
    type === 'tsvector' ? `${quoted(name)}::text as ${quoted(name)}` : quoted(name),
  )
  await session.execute(`declare copied no scroll cursor for select ${list.join(', ')} from ${quoted(table)}`, [])
  for (let count = FETCH_ROWS.first; ; ) {
    const { rows } = await session.execute(`fetch ${count} from copied`, [])
    let bytes = 0
    for (const row of rows) {
      const values = names.map((name) => (row[name] ?? null) as CopiedValue)
      bytes += bytesOf(values)
      const part = builder.add(values)
      if (part !== undefined) yield part
    }
    if (rows.length < count) break
    count = Math.min(FETCH_ROWS.most, Math.max(1, Math.floor((PART_LIMITS.bytes * rows.length) / (bytes + 1))))
  }
  await session.execute('close copied', [])
  const last = builder.take()
  if (last !== undefined) yield last
}

async function insertRows(session: Session, { table, rows }: TablePart, columns: readonly Column[]): Promise<void> {
  const head = `insert into ${quoted(table)} (${columns.map(({ name }) => quoted(name)).join(', ')}) overriding system value values `
  const step = Math.max(1, Math.floor(MAX_PARAMETERS / columns.length))
  for (let from = 0; from < rows.length; from += step) {
    const some = rows.slice(from, from + step)
    let number = 0
    const values = some.map(
      () => `(${columns.map(({ type }) => `$${++number}${type === 'tsvector' ? '::text::tsvector' : ''}`).join(', ')})`,
    )
    await session.execute(head + values.join(', '), some.flat())
  }
}

interface Counter {
  table: string
  column: string
  /** `null` = it gave none yet, or this role may not see it. */
  last: number | null
}

/** The last number that each identity column gave. */
async function countersIn({ execute }: PostgresExecutor): Promise<Counter[]> {
  const { rows } = await execute(
    `select c.relname as table_name, a.attname as name, s.last_value as last
       from pg_class c
       join pg_attribute a on a.attrelid = c.oid and a.attidentity <> '' and not a.attisdropped
       join pg_sequences s on s.schemaname = current_schema()
        and format('%I.%I', s.schemaname, s.sequencename) = pg_get_serial_sequence(format('%I.%I', s.schemaname, c.relname), a.attname)
      where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace
      order by 1, 2`,
    [],
  )
  return rows.map(({ table_name, name, last }) => ({
    table: String(table_name),
    column: String(name),
    last: last === null ? null : Number(last),
  }))
}

/** The counters as rows: numbers of rows that are gone are not given again. */
async function countersOf(session: PostgresExecutor): Promise<TablePart> {
  const counters = (await countersIn(session)).filter(({ last }) => last !== null)
  return {
    table: COUNTERS,
    columns: COUNTER_COLUMNS,
    rows: counters.map(({ table, column, last }) => [table, column, last]),
  }
}

/** Whoever made the copy may not have seen the counters: each is at least at the highest number that is there. */
async function raiseCounters(session: PostgresExecutor): Promise<void> {
  for (const { table, column, last } of await countersIn(session)) {
    const { rows } = await session.execute(`select max(${quoted(column)}) as most from ${quoted(table)}`, [])
    const most = Number(rows[0]?.most ?? 0)
    if (most > (last ?? 0)) await setCounter(session, table, column, most)
  }
}

async function setCounter(
  { execute }: PostgresExecutor,
  table: string,
  column: string,
  last: CopiedValue,
): Promise<void> {
  await execute('select setval(pg_get_serial_sequence(quote_ident($1), $2), $3)', [table, column, last])
}

async function setCounters(
  session: PostgresExecutor,
  tables: ReadonlyMap<string, readonly Column[]>,
  { rows }: TablePart,
): Promise<void> {
  for (const [table, column, last] of rows) {
    if (
      typeof table !== 'string' ||
      typeof column !== 'string' ||
      !tables.get(table)?.some(({ name }) => name === column)
    )
      throw new AppError('invalid', 'The counters name a table or a column that the database does not have.')
    await setCounter(session, table, column, last ?? null)
  }
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
