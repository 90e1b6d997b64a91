import { constants, Database } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { GONE, type GoneRow, keyOf, type MessageFacts, type Row, type TableName } from './row-line'
import { endsTurn, factsOf, hasTokens, type RowSource, type SessionSummary, shortHash } from './row-source'

/** Columns without which a table is none of 1.x. */
const NEEDED: Readonly<Record<TableName, readonly string[]>> = {
  session: ['id', 'parent_id', 'directory', 'title', 'version', 'time_created', 'time_updated'],
  message: ['id', 'session_id', 'time_created', 'time_updated', 'data'],
  part: ['id', 'message_id', 'session_id', 'time_created', 'time_updated', 'data'],
  todo: ['session_id', 'position', 'content', 'status'],
}

/** Columns of a session that may be long: of these its signature has the length alone. */
const LONG_COLUMNS = new Set(['summary_diffs', 'permission', 'metadata', 'revert'])

type Value = string | number | null | Uint8Array
type Columns = Record<string, Value>

/**
 * An `opencode.db` of opencode 1.x, read only. No statement stays open over a pause, so the CLI never waits for us, and its log of writes
 * can always begin anew. Nothing here writes that log into the database: a connection that can't write does not.
 */
export class OpencodeDatabase implements RowSource {
  readonly #db: Database
  readonly #columns: Readonly<Record<TableName, readonly string[]>>
  readonly #hasEvents: boolean
  /** It was read without a log of writes: what is written later needs another connection. */
  readonly isFrozen: boolean

  private constructor(db: Database, columns: Readonly<Record<TableName, readonly string[]>>, isFrozen: boolean) {
    this.#db = db
    this.#columns = columns
    this.#hasEvents = columnsOf(db, 'event').includes('aggregate_id')
    this.isFrozen = isFrozen
  }

  /** @returns a text for a person when it is no database of 1.x. @throws SQLite's error when it can't be read now */
  static open(path: string): OpencodeDatabase | string {
    const isFrozen = !existsSync(`${path}-wal`)
    const db = connect(path, isFrozen)
    try {
      const columns = {
        session: columnsOf(db, 'session'),
        message: columnsOf(db, 'message'),
        part: columnsOf(db, 'part'),
        todo: columnsOf(db, 'todo'),
      }
      const problem = problemOf(columns)
      if (problem === null) return new OpencodeDatabase(db, columns, isFrozen)
      db.close()
      return problem
    } catch (error) {
      db.close()
      throw error
    }
  }

  close(): void {
    this.#db.close()
  }

  /** Conversations that only opencode 2.x reads: their messages stand in another table. */
  newerSessions(): number {
    if (columnsOf(this.#db, 'session_message').length === 0) return 0
    const found = this.#db.query<{ n: number }, []>('select count(distinct session_id) as n from session_message').get()
    return found?.n ?? 0
  }

  /**
   * The number of the last entry of the list of all that happened, to whose end recent releases only add; `null` = there is no list.
   * `VACUUM` may number it anew.
   */
  lastEvent(): number | null {
    if (!this.#hasEvents) return null
    try {
      return this.#db.query<{ n: number | null }, []>('select max(rowid) as n from event').get()?.n ?? 0
    } catch (error) {
      if (isDamage(error)) return null
      throw error
    }
  }

  /** Sessions of entries behind this one. */
  sessionsAfter(event: number): string[] {
    return this.#db
      .query<{ id: string }, [number]>('select distinct aggregate_id as id from event where rowid > ?')
      .all(event)
      .map(({ id }) => id)
  }

  sessions(): SessionSummary[] {
    const names = this.#columns.session.map((name) =>
      LONG_COLUMNS.has(name) ? `octet_length(${quoted(name)}) as ${quoted(name)}` : quoted(name),
    )
    return this.#rowsOfSessions(names.join(', ')).flatMap((row) => {
      if (typeof row.id !== 'string') return []
      const parentId = typeof row.parent_id === 'string' && row.parent_id !== '' ? row.parent_id : null
      const signature = shortHash(JSON.stringify(row))
      return [
        { id: row.id, parentId, created: numberOf(row.time_created), updated: Number(row.time_updated), signature },
      ]
    })
  }

  /** Where the table is damaged, those that can be read by themselves: ids stand in an index too. */
  #rowsOfSessions(names: string): Columns[] {
    try {
      return this.#db.query<Columns, []>(`select ${names} from session`).all()
    } catch (error) {
      if (!isDamage(error)) throw error
    }
    const ids = this.#db.query<{ id: Value }, []>('select id from session order by id').all()
    return ids.flatMap(({ id }) => {
      try {
        return this.#db.query<Columns, [Value]>(`select ${names} from session where id = ?`).all(id)
      } catch (error) {
        if (isDamage(error)) return []
        throw error
      }
    })
  }

  /** Sessions whose own rows changed last, the newest first. */
  latestSessions(count: number): string[] {
    return this.#db
      .query<{ id: string }, [number]>('select id from session order by time_updated desc, id desc limit ?')
      .all(count)
      .map(({ id }) => id)
  }

  isSettled(session: string): boolean {
    const last = this.#db
      .query<{ data: string }, [string]>(
        'select data from message where session_id = ? order by time_created desc, id desc limit 1',
      )
      .get(session)
    return last === null || endsTurn(last.data)
  }

  /** Milliseconds: the making of the message before which all of a session's messages are old. */
  recentSince(session: string, count: number): number | null {
    const found = this.#db
      .query<{ at: number }, [string, number]>(
        'select time_created as at from message where session_id = ? order by time_created desc, id desc limit 1 offset ?',
      )
      .get(session, count - 1)
    return found?.at ?? null
  }

  *rowsOf(session: string, known: ReadonlyMap<string, string>, since: number | null): Generator<Row | GoneRow> {
    const seen = new Set<string>()
    const isNew = (row: Omit<Row, 'columns'>): boolean => {
      seen.add(keyOf(row))
      return known.get(keyOf(row)) !== row.version
    }
    const own = this.#db.query<Columns, [string]>('select * from session where id = ?').get(session)
    if (own !== null) {
      const columns = plain(own)
      const head = { table: 'session', id: session, version: shortHash(JSON.stringify(columns)) } as const
      if (isNew(head)) yield { ...head, columns }
    }
    for (const message of this.#messages(session, since)) {
      let facts: MessageFacts | undefined
      const head = { table: 'message', id: message.id, version: versionOf(message) } as const
      if (isNew(head)) {
        const columns = this.#row('message', message.id)
        const hasOwnUsage = columns !== null && hasTokens(String(columns.data)) && !this.#hasStep(message.id)
        if (columns !== null) yield { ...head, columns, ...(hasOwnUsage && { of: { hasOwnUsage } }) }
      }
      for (const part of this.#parts(message.id)) {
        const partHead = { table: 'part', id: part.id, version: versionOf(part) } as const
        if (!isNew(partHead)) continue
        const columns = this.#row('part', part.id)
        facts ??= factsOf(String(this.#row('message', message.id)?.data ?? ''))
        if (columns !== null) yield { ...partHead, columns, of: facts }
      }
    }
    for (const row of this.#todos(session)) {
      const columns = plain(row)
      const head = {
        table: 'todo',
        id: `${session}/${row.position}`,
        version: shortHash(JSON.stringify(columns)),
      } as const
      if (isNew(head)) yield { ...head, columns }
    }
    if (since === null) yield* goneOf(known, seen)
  }

  #messages(session: string, since: number | null): Listed[] {
    return this.#db
      .query<Listed, [string, number]>(
        `select id, time_updated as updated, octet_length(data) as octets from message
         where session_id = ? and time_created >= ? order by time_created, id`,
      )
      .all(session, since ?? 0)
  }

  #parts(message: string): Listed[] {
    return this.#db
      .query<Listed, [string]>(
        'select id, time_updated as updated, octet_length(data) as octets from part where message_id = ? order by id',
      )
      .all(message)
  }

  /** Whether a part of a message has the tokens of a step. */
  #hasStep(message: string): boolean {
    const found = this.#db
      .query<unknown, [string]>(`select 1 from part where message_id = ? and instr(data, '"step-finish"') > 0 limit 1`)
      .get(message)
    return found !== null
  }

  #todos(session: string): Columns[] {
    return this.#db.query<Columns, [string]>('select * from todo where session_id = ? order by position').all(session)
  }

  #row(table: 'message' | 'part', id: string): Columns | null {
    const row = this.#db.query<Columns, [string]>(`select * from ${table} where id = ?`).get(id)
    return row === null ? null : plain(row)
  }
}

interface Listed {
  id: string
  updated: number
  octets: number
}

const versionOf = ({ updated, octets }: Listed): string => `${updated}.${octets}`

/** Whether an error of SQLite says that a part of the file is damaged. Other parts may be whole. */
export const isDamage = (error: unknown): boolean => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return code.startsWith('SQLITE_CORRUPT')
}

/** Rows that were known and were not seen. */
export function* goneOf(known: ReadonlyMap<string, string>, seen: ReadonlySet<string>): Generator<GoneRow> {
  for (const [key, version] of known) {
    if (version === GONE || seen.has(key)) continue
    const colon = key.indexOf(':')
    yield { table: key.slice(0, colon) as TableName, id: key.slice(colon + 1) }
  }
}

/**
 * With a log of writes, by SQLite's own protocol. Without one the CLI has closed the database: then no file is made beside it, which SQLite
 * would do, and nothing can change under us until a log is there again.
 */
function connect(path: string, isFrozen: boolean): Database {
  if (isFrozen)
    return new Database(
      `${pathToFileURL(path)}?immutable=1`,
      constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI,
    )
  const db = new Database(path, { readonly: true })
  db.run('pragma busy_timeout = 200')
  return db
}

const columnsOf = (db: Database, table: string): string[] =>
  db
    .query<{ name: string }, [string]>('select name from pragma_table_info(?)')
    .all(table)
    .map(({ name }) => name)

function problemOf(columns: Readonly<Record<TableName, readonly string[]>>): string | null {
  const tables = Object.keys(NEEDED) as TableName[]
  const missing = tables.flatMap((table) => {
    const lacks = NEEDED[table].filter((name) => !columns[table].includes(name))
    return lacks.length === 0 ? [] : [columns[table].length === 0 ? table : `${table} (${lacks.join(', ')})`]
  })
  if (missing.length === 0) return null
  return `its tables are not those of opencode 1.x (missing: ${missing.join('; ')}); opencode 2.x is not understood`
}

/** A column of bytes, which no release has, is kept as base64. */
const plain = (row: Columns): Columns =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value,
    ]),
  )

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

const numberOf = (value: Value | undefined): number | null => (typeof value === 'number' ? value : null)
