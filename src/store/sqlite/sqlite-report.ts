import { type DatabaseReport, largestFirst, type TableReport, TIME_COLUMNS, timeOf } from '../database-report'
import type { SqliteConnection } from './sqlite-connection'

interface Size {
  bytes: number
  unused: number
}

/** Reads every page once, for their sizes. */
export function sqliteReport(file: SqliteConnection): DatabaseReport {
  const number = (pragma: string): number =>
    Number(Object.values(file.get<Record<string, number>>(`pragma ${pragma}`) ?? {})[0] ?? 0)
  const pageSize = number('page_size')
  const things = file.all<{ name: string; type: string; tbl_name: string }>(
    `select name, type, tbl_name from sqlite_schema where type in ('table', 'index') and rootpage > 0`,
  )
  const sizes = sizesOf(file)
  const tables = things
    .filter(({ type, name }) => type === 'table' && !name.startsWith('sqlite_'))
    .map(({ name }): TableReport => {
      const own = sizes?.get(name)
      const indexes = things.filter(({ type, tbl_name }) => type === 'index' && tbl_name === name)
      const ofIndexes = indexes.flatMap((index) => sizes?.get(index.name) ?? [])
      const indexBytes = sum(ofIndexes.map(({ bytes }) => bytes))
      return {
        name,
        rows: rowsOf(file, name),
        bytes: own === undefined ? null : own.bytes + indexBytes,
        indexBytes: own === undefined ? null : indexBytes,
        freeBytes: own === undefined ? null : own.unused + sum(ofIndexes.map(({ unused }) => unused)),
        oldest: oldestOf(file, name),
      }
    })
  return {
    kind: 'sqlite',
    bytes: number('page_count') * pageSize,
    freeBytes: number('freelist_count') * pageSize,
    tables: largestFirst(tables),
    indexes: largestFirst(
      things
        .filter(({ type }) => type === 'index')
        .map(({ name, tbl_name }) => ({
          ...{ name, table: tbl_name, scans: null },
          bytes: sizes === undefined ? null : (sizes.get(name)?.bytes ?? 0),
        })),
    ),
    slow: null,
  }
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

/** Bytes by table and index; `undefined` where this SQLite was built without the table that tells them. */
function sizesOf(file: SqliteConnection): Map<string, Size> | undefined {
  try {
    const rows = file.all<{ name: string } & Size>(
      'select name, sum(pgsize) as bytes, sum(unused) as unused from dbstat where aggregate = true group by name',
    )
    return new Map(rows.map(({ name, bytes, unused }) => [name, { bytes, unused }]))
  } catch (thrown) {
    if (thrown instanceof Error && /no such table/.test(thrown.message)) return undefined
    throw thrown
  }
}

/** The highest number that a row has: none is given twice, so removed rows count, too. `null` = its rows have no number. */
function rowsOf(file: SqliteConnection, table: string): number | null {
  const { key } = columnsOf(file, table)
  // The full-text index numbers its parts by rules of its own.
  if (key === null || /^event_text_(data|idx|config)$/.test(table)) return null
  return file.get<{ most: number | null }>(`select max("${key}") as most from "${table}"`)?.most ?? 0
}

function oldestOf(file: SqliteConnection, table: string): string | null {
  const { key, names } = columnsOf(file, table)
  const time = TIME_COLUMNS.find((column) => names.includes(column))
  if (time === undefined || key === null) return null
  return timeOf(file.get<{ at: number }>(`select ${time} as at from "${table}" order by "${key}" limit 1`)?.at)
}

/** `key`: the column that is the row's own number; `null` = it has none. */
function columnsOf(file: SqliteConnection, table: string): { names: string[]; key: string | null } {
  const columns = file.all<{ name: string; type: string; pk: number }>(
    `select name, type, pk from pragma_table_info('${table}')`,
  )
  const keys = columns.filter(({ pk }) => pk > 0)
  const [key] = keys
  const isNumber = keys.length === 1 && key?.type.toLowerCase() === 'integer'
  return { names: columns.map(({ name }) => name), key: isNumber ? (key?.name ?? null) : null }
}
