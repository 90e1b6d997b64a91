import { isAppError } from '../../domain/errors'
import {
  type DatabaseReport,
  largestFirst,
  MOST_SLOW,
  type SlowStatement,
  shortStatement,
  TIME_COLUMNS,
  timeOf,
} from '../database-report'
import type { PostgresExecutor } from './postgres-connection'

const TABLES = `
  select c.relname as name, c.reltuples::bigint as rows, pg_total_relation_size(c.oid) as bytes, pg_indexes_size(c.oid) as index_bytes,
         pg_table_size(c.oid) as own_bytes, coalesce(s.n_live_tup, 0) as live, coalesce(s.n_dead_tup, 0) as dead,
         (select string_agg(a.attname, ',') from pg_attribute a
           where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns
    from pg_class c left join pg_stat_user_tables s on s.relid = c.oid
   where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace`

const INDEXES = `
  select s.indexrelname as name, s.relname as table, pg_relation_size(s.indexrelid) as bytes, s.idx_scan as scans
    from pg_stat_user_indexes s where s.schemaname = current_schema()`

const SLOW = `
  select query, calls, mean_exec_time as mean, total_exec_time as total from pg_stat_statements
   where dbid = (select oid from pg_database where datname = current_database())
   order by total_exec_time desc limit ${MOST_SLOW}`

export async function postgresReport(database: PostgresExecutor): Promise<DatabaseReport> {
  const size = await database.execute('select pg_database_size(current_database()) as bytes', [])
  const { rows } = await database.execute(TABLES, [])
  const tables = []
  for (const row of rows) {
    const name = String(row.name)
    const [live, dead, own] = [Number(row.live), Number(row.dead), Number(row.own_bytes)]
    tables.push({
      name,
      // Before the first look of its own the server does not know.
      rows: Number(row.rows) < 0 ? live : Number(row.rows),
      bytes: Number(row.bytes),
      indexBytes: Number(row.index_bytes),
      freeBytes: live + dead === 0 ? 0 : Math.round((own * dead) / (live + dead)),
      oldest: await oldestOf(database, name, String(row.columns).split(',')),
    })
  }
  return {
    kind: 'postgres',
    bytes: Number(size.rows[0]?.bytes ?? 0),
    freeBytes: tables.reduce((sum, { freeBytes }) => sum + freeBytes, 0),
    tables: largestFirst(tables),
    indexes: largestFirst(
      (await database.execute(INDEXES, [])).rows.map((row) => ({
        ...{ name: String(row.name), table: String(row.table) },
        ...{ bytes: Number(row.bytes), scans: Number(row.scans) },
      })),
    ),
    slow: await slowStatements(database),
  }
}

/** By the key in whose order rows came: no table is read for it. */
async function oldestOf(database: PostgresExecutor, table: string, columns: readonly string[]): Promise<string | null> {
  const time = TIME_COLUMNS.find((column) => columns.includes(column))
  const key = ['seq', 'id'].find((column) => columns.includes(column))
  if (time === undefined || key === undefined) return null
  const { rows } = await database.execute(`select ${time} as at from "${table}" order by ${key} limit 1`, [])
  return timeOf(rows[0]?.at)
}

async function slowStatements(database: PostgresExecutor): Promise<SlowStatement[] | null> {
  const found = await database.execute(`select to_regclass('pg_stat_statements') is not null as found`, [])
  if (found.rows[0]?.found !== true) return null
  try {
    const { rows } = await database.execute(SLOW, [])
    return rows.map((row) => ({
      statement: shortStatement(String(row.query)),
      calls: Number(row.calls),
      meanMs: Number(row.mean),
      totalMs: Number(row.total),
    }))
  } catch (thrown) {
    // It is installed and not loaded, or this user may not read it.
    if (isAppError(thrown) && thrown.code !== 'unavailable') return null
    throw thrown
  }
}
