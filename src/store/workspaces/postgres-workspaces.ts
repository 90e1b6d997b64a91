import { AppError } from '../../domain/errors'
import { randomHex } from '../../util/crypto'
import { withLogin } from '../../util/net/database-url'
import type { PostgresExecutor } from '../postgres/postgres-connection'
import { PostgresPool } from '../postgres/postgres-pool'
import { scramVerifier } from './scram-verifier'
import { databaseOf, workspaceOf } from './workspace-name'

/** The record of a team on a PostgreSQL server that several teams share. */
export interface Workspace {
  name: string
  /** The database, and the role that alone uses it. */
  database: string
  /** `null` = the administrator may not ask. */
  bytes: number | null
  /** Those that are open now: of servers and commands. */
  connections: number
  maxConnections: number
}

export interface MadeWorkspace {
  name: string
  database: string
  /** With the password, which is not kept. */
  url: string
  /** Other databases of the PostgreSQL server that let every role in, this one too. */
  openDatabases: string[]
}

/** Says of a database and of a role that they are ours to remove. */
const MARK = 'Workspace of Lodeline'

/** All of an administrator's work that is done on the databases and roles themselves. */
export class PostgresWorkspaces implements AsyncDisposable {
  readonly #url: string
  readonly #pool: PostgresPool

  /** @param url  of an administrator: a superuser, or a role that may create databases and roles. Opens nothing yet. */
  constructor(url: string) {
    this.#url = url
    this.#pool = new PostgresPool(url, { limits: null })
  }

  /** By name. */
  async list(): Promise<Workspace[]> {
    const { rows } = await this.#pool.execute(
      `select d.datname as database, coalesce(r.rolconnlimit, -1) as most,
              case when has_database_privilege(d.oid, 'connect') or pg_has_role('pg_read_all_stats', 'usage')
                   then pg_database_size(d.oid) end as bytes,
              (select count(*) from pg_stat_activity a where a.datid = d.oid and a.usesysid is not null) as connections
         from pg_database d left join pg_roles r on r.rolname = d.datname
        where shobj_description(d.oid, 'pg_database') = '${MARK}' order by 1`,
      [],
    )
    return rows.flatMap((row) => {
      const database = String(row.database)
      const name = workspaceOf(database)
      const bytes = row.bytes === null ? null : Number(row.bytes)
      return name === null
        ? []
        : { name, database, bytes, connections: Number(row.connections), maxConnections: Number(row.most) }
    })
  }

  /**
   * Makes a database, and a role with a password of its own that may use this database alone. What fails leaves nothing behind.
   *
   * @param fill  makes what belongs in it, by the role's URL
   * @throws `conflict` it is there · `forbidden` the administrator may not do this · what `fill` throws
   */
  async create(name: string, maxConnections: number, fill: (url: string) => Promise<void>): Promise<MadeWorkspace> {
    const database = databaseOf(name)
    const session = await this.#session()
    const undo: string[] = []
    try {
      await requireRights(session)
      if ((await facts(session, database)).length > 0) throw isThere(name, database)
      const password = randomHex(24)
      await run(
        session,
        `create role ${database} login noinherit connection limit ${maxConnections}
        password '${scramVerifier(password)}'`,
      ).catch((thrown) => {
        throw stateOf(thrown) === '42710' ? isThere(name, database) : thrown
      })
      undo.unshift(`drop role ${database}`)
      await run(session, `comment on role ${database} is '${MARK}'`)
      // Until others are shut out of it, nobody is let in.
      await run(session, `create database ${database} template template0 encoding 'UTF8' allow_connections false`)
      undo.unshift(`drop database if exists ${database} with (force)`)
      await run(session, `comment on database ${database} is '${MARK}'`)
      await run(session, `revoke all on database ${database} from public`)
      await run(session, `grant connect on database ${database} to ${database}`)
      await run(session, `alter database ${database} allow_connections true`)
      await this.#giveSchema(database)
      const url = withLogin(this.#url, { user: database, password, database })
      await fill(url)
      return { name, database, url, openDatabases: await openDatabases(session, database) }
    } catch (thrown) {
      for (const statement of undo) await run(session, statement).catch(() => {})
      throw thrown
    } finally {
      session.end()
    }
  }

  /**
   * Removes the database with all that is in it, and its role.
   *
   * @throws `not_found` · `conflict` something is connected to it: a server, a command, a backup
   */
  async remove(name: string): Promise<{ name: string; database: string }> {
    const database = databaseOf(name)
    const session = await this.#session()
    try {
      const there = await facts(session, database)
      if (there.length === 0)
        throw new AppError('not_found', `There is no workspace ${name}.`, { hint: "'lode workspace list' lists them." })
      if (there.some(({ mark }) => mark !== MARK))
        throw new AppError('conflict', `The database or role ${database} was not made by 'lode workspace create'.`, {
          hint: 'Remove it by the means of PostgreSQL, if it has to go.',
        })
      if (there.some(({ kind }) => kind === 'database')) await dropDatabase(session, name, database)
      if (there.some(({ kind }) => kind === 'role')) await run(session, `drop role ${database}`)
      return { name, database }
    } finally {
      session.end()
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#pool.close()
  }

  /** Making a database takes as long as it takes. */
  async #session() {
    const session = await this.#pool.session()
    await run(session, 'set statement_timeout = 0')
    return session
  }

  /** The role makes tables in the schema that is there, and owns them; it does not own the schema or the database. */
  async #giveSchema(database: string): Promise<void> {
    const pool = new PostgresPool(withLogin(this.#url, { database }), { limits: null })
    try {
      await pool.execute('revoke all on schema public from public', [])
      await pool.execute(`grant usage, create on schema public to ${database}`, [])
    } finally {
      await pool.close()
    }
  }
}

const run = async (session: PostgresExecutor, statement: string): Promise<void> => {
  await session.execute(statement, [])
}

/** What has the name already, with its mark. */
async function facts(session: PostgresExecutor, database: string): Promise<{ kind: string; mark: string | null }[]> {
  const { rows } = await session.execute(
    `select 'database' as kind, shobj_description(oid, 'pg_database') as mark from pg_database where datname = $1
      union all select 'role', shobj_description(oid, 'pg_authid') from pg_roles where rolname = $1`,
    [database],
  )
  return rows.map(({ kind, mark }) => ({ kind: String(kind), mark: mark === null ? null : String(mark) }))
}

async function requireRights(session: PostgresExecutor): Promise<void> {
  const { rows } = await session.execute(
    'select rolsuper or (rolcreatedb and rolcreaterole) as may from pg_roles where rolname = current_user',
    [],
  )
  if (rows[0]?.may !== true)
    throw new AppError('forbidden', 'This role of the database may not create databases and roles.', {
      hint: 'Use the URL of a superuser, or of a role with CREATEDB and CREATEROLE.',
    })
}

/** Nobody can connect between the look and the removal. */
async function dropDatabase(session: PostgresExecutor, name: string, database: string): Promise<void> {
  await run(session, `alter database ${database} allow_connections false`)
  try {
    const count = await connectionsLeft(session, database)
    if (count > 0) throw inUse(name, count)
    await run(session, `drop database ${database}`)
  } catch (thrown) {
    await run(session, `alter database ${database} allow_connections true`).catch(() => {})
    throw thrown
  }
}

/** A server that was stopped just now is seen for a moment longer. Looks, and milliseconds between them. */
const LOOKS = 15
const LOOK_AGAIN_MS = 100

async function connectionsLeft(session: PostgresExecutor, database: string): Promise<number> {
  for (let look = 1; ; look++) {
    const { rows } = await session.execute(
      'select count(*) as count from pg_stat_activity where datname = $1 and usesysid is not null',
      [database],
    )
    const count = Number(rows[0]?.count)
    if (count === 0 || look === LOOKS) return count
    await Bun.sleep(LOOK_AGAIN_MS)
  }
}

/** Databases beside this one that the role may connect to, as everybody may. */
async function openDatabases(session: PostgresExecutor, role: string): Promise<string[]> {
  const { rows } = await session.execute(
    `select datname as name from pg_database
      where datallowconn and datname <> $1 and has_database_privilege($1, oid, 'connect') order by 1`,
    [role],
  )
  return rows.map(({ name }) => String(name))
}

const isThere = (name: string, database: string): AppError =>
  new AppError('conflict', `The workspace ${name} can't be made: the database or role ${database} is there already.`, {
    hint: "Choose another name. 'lode workspace list' lists what is there.",
  })

const inUse = (name: string, count: number): AppError =>
  new AppError('conflict', `The workspace ${name} is in use: ${count} ${count === 1 ? 'connection' : 'connections'}.`, {
    hint: 'Stop its servers first.',
    details: { connections: count },
  })

const stateOf = (thrown: unknown): unknown => (thrown instanceof AppError ? thrown.details?.postgres : undefined)
