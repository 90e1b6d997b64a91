import { Database, type SQLQueryBindings, type Statement } from 'bun:sqlite'
import { closeSync, existsSync, openSync } from 'node:fs'
import { AppError } from '../../domain/errors'
import { diskFault } from '../../util/files/disk-fault'
import { toParameter } from '../sql/values'
import { isBusy, mapSqliteError } from './sqlite-errors'
import { makePrivate, prepareFolder } from './sqlite-file'

export interface SqliteOpenOptions {
  /** `write` may change rows; `read` refuses to (`query_only`) and never takes the write lock. */
  role: 'write' | 'read'
  /** Makes the file (0600) and its folder (0700) when missing. Default: false, and a missing file is `not_found`. */
  create?: boolean
  /** Page cache in KiB. Default: 16,384 for writers, 8,192 for readers. */
  cacheKiB?: number
  /** Opens on a network file system all the same. Default: false. */
  allowNetwork?: boolean
}

/** Pages in the WAL after which a commit copies them to the database: 16 MiB. Smaller stalls bulk writers more often. */
const CHECKPOINT_PAGES = 4_000
/** Bytes that the WAL file may keep after a checkpoint. */
const JOURNAL_SIZE_LIMIT = 64 * 1_048_576
/** Milliseconds that opening waits for others who open the same file; the only wait that blocks, and it is before any work. */
const OPEN_WAIT_MS = 2_000
/** Statements kept compiled per connection; Kysely's lists with many shapes stay below. */
const STATEMENT_LIMIT = 256

/**
 * One connection to a SQLite file, with its compiled statements. Never waits for a lock: what is locked throws at once, and
 * the caller tries again without blocking its loop (`sqlite-writer.ts`, `kysely-sqlite.ts`).
 *
 * The raw recording path uses `statement()`; parameters given there are bound as they are (clean text with `cleanText`).
 */
export class SqliteConnection {
  readonly path: string
  readonly raw: Database
  private readonly statements = new Map<string, Statement<unknown, SQLQueryBindings[]>>()

  constructor(path: string, raw: Database) {
    this.path = path
    this.raw = raw
  }

  /** The compiled statement of `sql`, kept for the connection's life (the least recently made ones are dropped). */
  statement<Row, Params extends SQLQueryBindings[] = SQLQueryBindings[]>(sql: string): Statement<Row, Params> {
    const known = this.statements.get(sql)
    if (known !== undefined) return known as Statement<Row, Params>
    if (this.statements.size >= STATEMENT_LIMIT) this.dropOldest()
    const made = this.raw.prepare<Row, Params>(sql)
    this.statements.set(sql, made as unknown as Statement<unknown, SQLQueryBindings[]>)
    return made as Statement<Row, Params>
  }

  /** Rows of a query; parameters are cleaned. @throws the driver's own error, see `mapSqliteError`. */
  all<Row>(sql: string, ...parameters: unknown[]): Row[] {
    return this.statement<Row>(sql).all(...parameters.map(toParameter))
  }

  /** The first row of a query; `undefined` when there is none. */
  get<Row>(sql: string, ...parameters: unknown[]): Row | undefined {
    return this.statement<Row>(sql).get(...parameters.map(toParameter)) ?? undefined
  }

  /** Runs one statement and tells how many rows it changed. */
  run(sql: string, ...parameters: unknown[]): { changes: number; lastInsertRowid: number } {
    const { changes, lastInsertRowid } = this.statement(sql).run(...parameters.map(toParameter))
    return { changes, lastInsertRowid: Number(lastInsertRowid) }
  }

  /** Runs statements without parameters (pragmas, schema) that are not worth keeping. */
  exec(sql: string): void {
    this.raw.run(sql)
  }

  get inTransaction(): boolean {
    return this.raw.inTransaction
  }

  close(): void {
    for (const statement of this.statements.values()) statement.finalize()
    this.statements.clear()
    this.raw.close()
  }

  private dropOldest(): void {
    const oldest = this.statements.keys().next()
    // Not finalized here: somebody may still hold it. The collector does it.
    if (!oldest.done) this.statements.delete(oldest.value)
  }
}

/**
 * Opens a SQLite file by the rules of the store: WAL, every commit durable, foreign keys on, no waiting for locks.
 *
 * @throws `not_found` `invalid` (network file system) `storage_readonly` `storage_corrupt` `unavailable`
 */
export function openSqlite(path: string, options: SqliteOpenOptions): SqliteConnection {
  const exists = path === ':memory:' || existsSync(path)
  if (!exists && options.create !== true) {
    throw new AppError('not_found', `There is no database ${path}.`, { hint: 'Run `lode up` to create it.' })
  }
  if (path !== ':memory:') {
    prepareFolder(path, options.allowNetwork === true)
    if (!exists) createPrivateFile(path)
  }
  const deadline = performance.now() + OPEN_WAIT_MS
  for (;;) {
    let raw: Database | undefined
    try {
      raw = new Database(path, { readwrite: true, create: false })
      const connection = new SqliteConnection(path, raw)
      if (options.role === 'write') setUpWriter(connection, options.cacheKiB ?? 16_384)
      else setUpReader(connection, options.cacheKiB ?? 8_192)
      return connection
    } catch (thrown) {
      raw?.close()
      // Another process is making the file, or taking in what a killed one left in its log: a matter of milliseconds.
      if (!isBusy(thrown) || performance.now() >= deadline) throw mapSqliteError(thrown, path)
      Bun.sleepSync(2)
    }
  }
}

function setUpWriter(connection: SqliteConnection, cacheKiB: number): void {
  const { raw } = connection
  raw.run('pragma busy_timeout = 0')
  const mode = raw.query<{ journal_mode: string }, []>('pragma journal_mode').get()?.journal_mode
  if (mode !== 'wal') raw.run('pragma journal_mode = wal')
  raw.run('pragma synchronous = full')
  if (process.platform === 'darwin') {
    raw.run('pragma fullfsync = on')
    raw.run('pragma checkpoint_fullfsync = on')
  }
  raw.run('pragma foreign_keys = on')
  // What is forgotten must not stay in free pages. Measured on bulk inserts with all indexes: no difference beyond noise.
  raw.run('pragma secure_delete = on')
  raw.run(`pragma cache_size = -${cacheKiB}`)
  raw.run(`pragma journal_size_limit = ${JOURNAL_SIZE_LIMIT}`)
  raw.run(`pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
  raw.run('pragma temp_store = memory')
  if (connection.path !== ':memory:') makePrivate(connection.path)
}

function setUpReader({ raw }: SqliteConnection, cacheKiB: number): void {
  raw.run('pragma busy_timeout = 0')
  raw.run('pragma query_only = on')
  raw.run(`pragma cache_size = -${cacheKiB}`)
  raw.run('pragma temp_store = memory')
  // The first look at the file: whatever is wrong with it is said here.
  raw.query('pragma schema_version').get()
}

/** Makes the file before SQLite does, so that it is never readable by others, not even for a moment. */
function createPrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'a', 0o600))
  } catch (cause) {
    if (diskFault(cause) === 'storage_full') {
      throw new AppError('storage_full', `No space is left for the database ${path}.`, { cause })
    }
    throw new AppError('storage_readonly', `The database ${path} can't be created.`, {
      hint: 'Set LODELINE_HOME to a folder that you can write to.',
      cause,
    })
  }
}
