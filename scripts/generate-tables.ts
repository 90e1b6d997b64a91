/**
 * Writes `src/store/sql/tables.ts`, the tables as Kysely and the mappings of rows see them: `npm run generate`
 *
 * It migrates an empty SQLite database and reads what came of it. PostgreSQL has the same tables and columns.
 */
import { Database } from 'bun:sqlite'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { openStore } from '../src/store/open'

export const TABLES_FILE = resolve(import.meta.dir, '../src/store/sql/tables.ts')

/** A column as it is read from a database. */
export interface ReadColumn {
  table: string
  name: string
  type: 'integer' | 'real' | 'text' | 'bytes'
  isNullable: boolean
  /** `filled`: where nothing is said. `derived`: always. */
  byDatabase: 'filled' | 'derived' | null
}

/** The text of `tables.ts`. */
export async function generateTables(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'lodeline-tables-'))
  const path = join(folder, 'lodeline.db')
  try {
    await (await openStore({ path, mode: 'read-write', migrate: true })).close()
    return tablesText(sqliteColumns(path))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** All columns of the ordinary tables of a SQLite file, by table, in the order of their making. */
export function sqliteColumns(path: string): ReadColumn[] {
  using database = new Database(path, { readonly: true })
  const rows = database.query(COLUMNS).all() as SqliteColumn[]
  return rows.map(({ table, name, type, isNotNull, keyPlace, fallback, hidden, isLink }) => {
    // An integer key that refers to no other table is numbered by the database.
    const isNumbered = keyPlace === 1 && type === 'integer' && isLink === 0
    return {
      table,
      name,
      type: plainType(type),
      isNullable: isNotNull === 0 && keyPlace === 0,
      byDatabase: hidden !== 0 ? 'derived' : isNumbered || fallback !== null ? 'filled' : null,
    }
  })
}

interface SqliteColumn {
  table: string
  name: string
  type: string
  isNotNull: number
  /** Its place in the primary key; 0 = none. */
  keyPlace: number
  fallback: string | null
  /** 2 or 3 = generated. */
  hidden: number
  isLink: number
}

const COLUMNS = `
  select t.name as "table", c.name as name, lower(c.type) as type, c."notnull" as isNotNull, c.pk as keyPlace,
      c.dflt_value as fallback, c.hidden as hidden,
      exists (select 1 from pragma_foreign_key_list(t.name) as f where f."from" = c.name) as isLink
    from pragma_table_list as t join pragma_table_xinfo(t.name) as c
   where t.schema = 'main' and t.type = 'table' and t.name not like 'sqlite_%'
   order by t.name, c.cid`

/** A type of either database as a type of ours. */
export function plainType(type: string): ReadColumn['type'] {
  if (type === 'integer' || type === 'bigint') return 'integer'
  if (type === 'double precision') return 'real'
  if (type === 'blob' || type === 'bytea') return 'bytes'
  if (type === 'text') return 'text'
  throw new Error(`columns of type ${type} are not known here`)
}

/** Columns of one line. */
const LINE = 120

function tablesText(columns: readonly ReadColumn[]): string {
  const words = new Set<string>()
  const tables = new Map<string, string[]>()
  for (const { table, name, type, isNullable, byDatabase } of columns) {
    const word = isNullable ? `${type}OrNull` : type
    for (const used of [word, byDatabase ?? word]) words.add(used)
    const fields = tables.get(table) ?? []
    tables.set(table, [...fields, `${name}: ${byDatabase === null ? word : `${byDatabase}(${word})`}`])
  }
  const lines = [...tables].map(([table, fields]) => {
    const line = `  ${table}: { ${fields.join(', ')} },`
    return line.length <= LINE ? line : `  ${table}: {\n${fields.map((field) => `    ${field},\n`).join('')}  },`
  })
  const imported = [...words, 'type SchemaOf'].sort((a, b) => bare(a).localeCompare(bare(b), 'en'))
  return `// Written by scripts/generate-tables.ts from src/store/migrations. Don't edit: run \`npm run generate\`.
import {
${imported.map((word) => `  ${word},`).join('\n')}
} from './table'

/** All tables of \`migrations/\` with their columns. \`column-types.ts\` says what the schema can't. */
export const TABLES = {
${lines.join('\n')}
}

/** The full-text index: an FTS5 table on SQLite (\`rowid\` = event id), a tsvector table on PostgreSQL (the other two). */
interface EventText {
  rowid: number
  event_id: number
  session_id: number
}

/** The tables as Kysely sees them. */
export interface Schema extends SchemaOf<typeof TABLES> {
  event_text: EventText
}
`
}

const bare = (word: string): string => word.replace('type ', '')

if (import.meta.main) await Bun.write(TABLES_FILE, await generateTables())
