/** Every derived table of a database as text, with the database's own keys replaced by what they stand for. */
import { join } from 'node:path'
import { SQL } from 'bun'

const TABLES = [
  'sessions',
  'session_anchors',
  'malformed_lines',
  'subagents',
  'subagent_marks',
  'subagent_runs',
  'conversation_events',
  'tool_uses',
  'usage_messages',
  'usage_totals',
  'usage_sessions',
  'session_files',
  'session_products',
  'request_merges',
  'todo_lists',
  'todo_changes',
  'todos',
  'todo_files',
  'session_mentions',
  'record_kinds',
] as const

/** Facts about this machine and this hour, which no journal holds. */
const VOLATILE = new Set([
  'created_at',
  'file_grew_at',
  'last_seen_at',
  'process_id',
  'process_started',
  'process_state',
  'process_at',
  'manifest_state',
])

/** Where the rows are: a Lodeline folder with an embedded database, or PostgreSQL. */
export interface TableSource {
  home: string
  databaseUrl?: string | undefined
}

/** Rows by table, each a line of JSON, sorted. Two dumps are equal when the tables say the same. */
export async function dumpTables({ home, databaseUrl }: TableSource): Promise<Record<string, string[]>> {
  const sql = databaseUrl ? new SQL(databaseUrl, { max: 1 }) : new SQL(`sqlite://${join(home, 'lodeline.db')}`)
  try {
    const names = new Map<string, string>()
    for (const row of await rowsOf(sql, 'hosts')) names.set(`host_id ${row.id}`, String(row.hostname))
    for (const row of await rowsOf(sql, 'projects')) names.set(`project_id ${row.id}`, String(row.root))
    for (const row of await rowsOf(sql, 'sessions'))
      for (const column of ['session_id', 'changed_session_id']) names.set(`${column} ${row.id}`, String(row.native_id))
    for (const row of await rowsOf(sql, 'subagents'))
      for (const column of ['subagent_id', 'changed_subagent_id'])
        names.set(`${column} ${row.id}`, String(row.native_id))
    for (const row of await rowsOf(sql, 'todo_lists')) {
      names.set(`list_id ${row.id}`, `${names.get(`session_id ${row.session_id}`)} ${row.name}`)
    }
    const dump: Record<string, string[]> = {}
    for (const table of TABLES) {
      const rows = await rowsOf(sql, table)
      dump[table] = rows.map((row) => toText(table, row, names)).sort()
    }
    return dump
  } finally {
    await sql.close()
  }
}

type Row = Record<string, unknown>

async function rowsOf(sql: SQL, table: string): Promise<Row[]> {
  const rows: Row[] = await sql.unsafe(`select * from ${table}`)
  return rows
}

function toText(table: string, row: Row, names: Map<string, string>): string {
  const columns = Object.entries(row)
    .filter(([column]) => !VOLATILE.has(column) && !(column === 'id' && table !== 'todos'))
    .map(([column, value]) => [column, names.get(`${column} ${value}`) ?? plain(value)] as const)
  return JSON.stringify(Object.fromEntries(columns))
}

const plain = (value: unknown): unknown => {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex')
  return typeof value === 'bigint' ? String(value) : value
}
