import { Database, type SQLQueryBindings } from 'bun:sqlite'

const COLUMNS =
  'session_id, uuid, at, type, role, subagent_id, parent_tool_use_id, tool_use_id, tool_name, text, flags, incarnation_id, "offset", length'

/** A row of `conversation_events` in the order of its columns, without its key. */
export type EventValues = SQLQueryBindings[]

/** All rows of a record's events, in the order in which they were recorded. */
export function readEventRows(db: Database): EventValues[] {
  return db.query(`select ${COLUMNS} from conversation_events order by id`).values() as EventValues[]
}

/** Makes the table and its indexes in a new file by the words of `source`: the raw limit has the same to keep in order. */
export function createRaw(path: string, source: Database): Database {
  const db = new Database(path, { create: true })
  db.run('pragma journal_mode = wal')
  db.run('pragma synchronous = full')
  db.run('pragma cache_size = -16384')
  const schema = source
    .query<{ sql: string }, []>(
      `select sql from sqlite_schema where tbl_name = 'conversation_events' and sql is not null order by type desc`,
    )
    .all()
  for (const { sql } of schema) db.run(sql)
  return db
}

/** A prepared insert, as fast as bun:sqlite goes: one transaction for each call. */
export function rawInserter(db: Database): (rows: EventValues[]) => void {
  const insert = db.prepare(
    `insert into conversation_events (${COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  return db.transaction((rows: EventValues[]) => {
    for (const row of rows) insert.run(...row)
  }).immediate
}

/** Inserts all rows, this many a transaction, and gives the seconds it took. */
export function insertRaw(path: string, source: Database, rows: EventValues[], perTransaction: number): number {
  const db = createRaw(path, source)
  const insert = rawInserter(db)
  const startedAt = performance.now()
  for (let at = 0; at < rows.length; at += perTransaction) insert(rows.slice(at, at + perTransaction))
  const seconds = (performance.now() - startedAt) / 1_000
  db.close()
  return seconds
}
