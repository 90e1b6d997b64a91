import type { SQL } from 'bun'
import { AppError } from '../../domain/errors'
import {
  executeAll,
  executorOf,
  LOCK_TIMEOUT_MS,
  openClient,
  type PostgresExecutor,
  STATEMENT_TIMEOUT_MS,
} from './postgres-connection'
import { isConnectTimeout, isOfConnection, isStandby, mapPostgresError } from './postgres-errors'
import { type DatabasePlaces, placesOf } from './postgres-tls'
import { createWatch, type Watch } from './postgres-watch'

/** Connections of one process. */
const POOL_SIZE = 10
/** How long a caller waits for a connection that is in use before another one is opened, in milliseconds. */
const GROW_MS = 10
/** A connection that nobody used for this long is closed, in milliseconds. */
const UNUSED_MS = 15_000

export interface PoolOptions {
  /** The URL leads to a pooler in transaction mode. Default: false. */
  isPooled?: boolean
  /** How long silence is borne. `null` = for ever: for work that has no end that could be foreseen. Default: `LIMITS`. */
  limits?: PoolLimits | null
}

export interface PoolLimits {
  /** Milliseconds after which a statement is given up with its connection. More than the server's own limit for a statement. */
  statementMs: number
  /** A statement that takes this many milliseconds is a reason to ask the database whether it is there. */
  doubtMs: number
  /** Milliseconds in which it has to answer that. */
  answerMs: number
}

const LIMITS: PoolLimits = { statementMs: 35_000, doubtMs: 4_000, answerMs: 4_000 }
/** A database that was silent is asked again this often. */
const AGAIN_MS = 500

/** One connection, used by one statement or transaction at a time. */
interface Connection {
  readonly sql: SQL
  readonly executor: PostgresExecutor
  /** Which of the hosts. */
  readonly host: number
  /** Statements that wait for their answers, and since when the first of them does; `null` = none is under way. */
  underWay: number
  sentAt: number | null
  /** May take as long as it takes. */
  isPatient: boolean
  isOver: boolean
  /** By the clock of this process. */
  usedAt: number
}

/** A connection for one transaction, whose statements may go out without waiting for answers. */
export interface ReservedConnection {
  readonly sql: SQL
  /** What a transaction sets for itself, behind its `begin`. */
  readonly opening: readonly string[]
  /** Sends a statement now, and counts it among those that are under way. @throws what the driver throws · `unavailable` */
  watch<T>(statement: () => Promise<T>): Promise<T>
  /** It can't be brought back to where it was: nobody uses it again. */
  drop(): void
  /** Gives it back, when nothing of it is under way. */
  release(): void
}

interface Waiting {
  resolve(connection: Connection): void
  reject(error: AppError): void
}

export interface TransactionOptions {
  /** Its statements may take as long as they take: a migration. */
  isPatient?: boolean
}

export interface Listening {
  stop(): Promise<void>
}

/**
 * Connections to a database that may be silent, gone or moved. No statement waits for ever: one that is late is given up with its
 * connection, and while a database answers nobody, all waiters get an error at once, until it answers again. The first of several hosts
 * that can be written is used.
 */
export class PostgresPool implements PostgresExecutor {
  readonly #places: DatabasePlaces
  readonly #isPooled: boolean
  readonly #limits: PoolLimits | null
  readonly #watch: Watch | null
  readonly #open = new Set<Connection>()
  readonly #idle: Connection[] = []
  readonly #waiting: Waiting[] = []
  #opening = 0
  /** The host that was used last. */
  #host = 0
  #isSilent = false
  #asking: Promise<void> | undefined
  #isClosed = false
  #emptied: (() => void) | undefined
  #growing: ReturnType<typeof setTimeout> | undefined
  #trimming: ReturnType<typeof setTimeout> | undefined

  /** Opens nothing yet. @throws `invalid`, see `placesOf` */
  constructor(url: string, { isPooled = false, limits = LIMITS }: PoolOptions = {}) {
    this.#places = placesOf(url)
    this.#isPooled = isPooled
    this.#limits = limits
    this.#watch = limits === null ? null : createWatch((now) => this.#look(now, limits))
  }

  /** Runs one statement in a transaction of its own. @throws `unavailable` the database is silent or away · see `mapPostgresError` */
  async execute(text: string, parameters: readonly unknown[]) {
    const connection = await this.#take()
    try {
      return await this.#send(connection, () => connection.executor.execute(text, parameters))
    } finally {
      this.#give(connection)
    }
  }

  /**
   * Runs `work` in a transaction. It begins with the statements of `first`, in the same round trip; `work` gets their rows.
   *
   * @throws what `work` throws, and see `execute`. After a commit that was not answered nobody knows whether it holds.
   */
  async begin<T>(
    work: (executor: PostgresExecutor, firstRows: Record<string, unknown>[][]) => Promise<T>,
    first: readonly string[] = [],
    { isPatient = false }: TransactionOptions = {},
  ): Promise<T> {
    const connection = await this.#take()
    connection.isPatient = isPatient
    const send = (text: string) => this.#send(connection, () => connection.executor.execute(text, []))
    try {
      const opening = ['begin', ...this.#ownSettings(isPatient), ...first]
      const results = await this.#send(connection, () => executeAll(connection.sql, opening))
      const executor: PostgresExecutor = {
        execute: (text, parameters) => this.#send(connection, () => connection.executor.execute(text, parameters)),
      }
      const result = await work(
        executor,
        results.slice(opening.length - first.length).map(({ rows }) => rows),
      )
      await send('commit')
      return result
    } catch (thrown) {
      // A connection that can't be brought back to where it was is not used again.
      if (!connection.isOver) await send('rollback').catch(() => this.#drop(connection))
      throw thrown
    } finally {
      connection.isPatient = false
      this.#give(connection)
    }
  }

  /** @throws `unavailable` */
  async reserve(): Promise<ReservedConnection> {
    const connection = await this.#take()
    return {
      sql: connection.sql,
      opening: this.#ownSettings(false),
      watch: (statement) => this.#send(connection, statement),
      drop: () => this.#drop(connection),
      release: () => this.#give(connection),
    }
  }

  /**
   * Hears of notifications, on a connection beside the pool's.
   *
   * @param onEnd  called once when the connection ends by itself
   */
  async listen(channel: string, heard: () => void, onEnd: () => void): Promise<Listening> {
    // The driver listens on a connection of its own, so nothing else is asked of this client. A standby refuses to listen.
    let subscription: SQL.ListenSubscription | undefined
    const connection = await this.#connect(async ({ sql }) => {
      subscription = await sql.listen(channel, heard)
    }, onEnd).catch((thrown) => {
      throw mapPostgresError(thrown)
    })
    return {
      stop: async () => {
        // From now on it may end.
        connection.isOver = true
        await subscription?.unlisten().catch(() => {})
        await connection.sql.close({ timeout: 0 }).catch(() => {})
      },
    }
  }

  /** A connection for as long as it takes, which nobody else uses. End it. */
  async session(): Promise<PostgresExecutor & { end(): void }> {
    const connection = await this.#take()
    connection.isPatient = true
    return {
      execute: (text, parameters) => this.#send(connection, () => connection.executor.execute(text, parameters)),
      end: () => this.#drop(connection),
    }
  }

  /** Refuses new work and waits for what is under way, at most this many milliseconds. */
  async close(waitMs = 0): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#growing)
    clearTimeout(this.#trimming)
    for (const { reject } of this.#waiting.splice(0)) reject(closed())
    for (const connection of [...this.#idle]) this.#drop(connection)
    if (waitMs > 0 && this.#open.size > 0) {
      const emptied = new Promise<void>((resolve) => {
        this.#emptied = resolve
      })
      let timer: ReturnType<typeof setTimeout> | undefined
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, waitMs)
      })
      await Promise.race([emptied, late])
      clearTimeout(timer)
    }
    this.#watch?.stop()
    for (const connection of [...this.#open]) this.#drop(connection)
  }

  /** What a session's settings are otherwise, where the session belongs to nobody for longer than a transaction. */
  #ownSettings(isPatient: boolean): string[] {
    if (isPatient) return ['set local statement_timeout = 0', 'set local idle_in_transaction_session_timeout = 0']
    if (!this.#isPooled) return []
    return [`set local statement_timeout = ${STATEMENT_TIMEOUT_MS}`, `set local lock_timeout = ${LOCK_TIMEOUT_MS}`]
  }

  async #send<T>(connection: Connection, statement: () => Promise<T>): Promise<T> {
    if (connection.isOver) throw gone()
    connection.underWay++
    connection.sentAt ??= performance.now()
    this.#watch?.start()
    try {
      return await statement()
    } catch (thrown) {
      if (isOfConnection(thrown) || (this.#places.isWritable && isStandby(thrown))) this.#drop(connection)
      throw this.#isSilent ? silent(thrown) : thrown
    } finally {
      connection.sentAt = --connection.underWay === 0 ? null : performance.now()
    }
  }

  #take(): Promise<Connection> {
    if (this.#isClosed) return Promise.reject(closed())
    if (this.#isSilent) return Promise.reject(silent())
    const idle = this.#idle.pop()
    if (idle !== undefined) return Promise.resolve(idle)
    const waits = new Promise<Connection>((resolve, reject) => this.#waiting.push({ resolve, reject }))
    if (this.#open.size === 0) this.#fill()
    else
      this.#growing ??= setTimeout(() => {
        this.#growing = undefined
        this.#fill()
      }, GROW_MS)
    return waits
  }

  /** Opens connections for those who wait, as far as there may be more. */
  #fill(): void {
    while (this.#opening < this.#waiting.length && this.#open.size + this.#opening < POOL_SIZE) {
      this.#opening++
      this.#connect()
        .then(
          (connection) => {
            this.#open.add(connection)
            this.#give(connection)
          },
          (thrown) => {
            this.#waiting.shift()?.reject(mapPostgresError(thrown))
            if (isConnectTimeout(thrown) && this.#limits !== null) this.#fallSilent(thrown)
          },
        )
        .finally(() => {
          this.#opening--
          this.#fill()
        })
    }
  }

  #give(connection: Connection): void {
    if (this.#isClosed) this.#drop(connection)
    else if (connection.isOver) this.#fill()
    else {
      const next = this.#waiting.shift()
      if (next !== undefined) next.resolve(connection)
      else {
        connection.usedAt = performance.now()
        this.#idle.push(connection)
        this.#trimming ??= this.#trimSoon()
      }
    }
  }

  /** The one that was used last is taken first, so that those in front were not used for the longest time. */
  #trimSoon(): ReturnType<typeof setTimeout> {
    const timer = setTimeout(() => {
      this.#trimming = undefined
      const since = performance.now() - UNUSED_MS
      for (const connection of this.#idle.filter(({ usedAt }) => usedAt <= since)) this.#drop(connection)
      if (this.#idle.length > 0 && !this.#isClosed) this.#trimming ??= this.#trimSoon()
    }, UNUSED_MS)
    timer.unref()
    return timer
  }

  /**
   * A new connection to the host that was used last, or the next one that can be used.
   *
   * @param prove  makes the connection and fails where it can't be used
   */
  async #connect(
    prove = (connection: Connection) => requireWritable(connection, this.#places),
    onEnd?: () => void,
  ): Promise<Connection> {
    const { places } = this.#places
    let first: unknown
    for (let turn = 0; turn < places.length; turn++) {
      const host = (this.#host + turn) % places.length
      const place = places[host]
      if (place === undefined) continue
      const ended = (): void => {
        if (connection.isOver) return
        this.#drop(connection)
        onEnd?.()
      }
      const sql = openClient({ place, isPooled: this.#isPooled, hasNext: places.length > 1, onEnd: ended })
      const connection: Connection = {
        sql,
        executor: executorOf(sql),
        host,
        underWay: 0,
        sentAt: null,
        isPatient: false,
        isOver: false,
        usedAt: performance.now(),
      }
      try {
        await prove(connection)
        this.#host = host
        return connection
      } catch (thrown) {
        connection.isOver = true
        void sql.close({ timeout: 0 }).catch(() => {})
        // What the first one says leads to the mistake, where all say something.
        first ??= thrown
      }
    }
    throw first
  }

  /** Ends a connection: what is under way on it fails. */
  #drop(connection: Connection): void {
    if (connection.isOver) return
    connection.isOver = true
    const at = this.#idle.indexOf(connection)
    if (at >= 0) this.#idle.splice(at, 1)
    void connection.sql.close({ timeout: 0 }).catch(() => {})
    if (this.#open.delete(connection) && this.#open.size === 0) this.#emptied?.()
  }

  /** @returns whether there is anything to look at */
  #look(now: number, { statementMs, doubtMs }: PoolLimits): boolean {
    let isBusy = this.#isSilent
    for (const connection of [...this.#open]) {
      const { sentAt, isPatient } = connection
      if (sentAt === null || isPatient) continue
      isBusy = true
      if (now - sentAt > statementMs) this.#drop(connection)
      else if (now - sentAt > doubtMs) this.#asking ??= this.#ask().finally(() => this.#asked())
    }
    return isBusy
  }

  /** Asks the database on a new connection whether it is there. Answers, refusals too, come within moments; silence tells that it is not. */
  async #ask(): Promise<void> {
    const from = this.#host
    const { answerMs } = this.#limits ?? LIMITS
    const asked = this.#connect().then(
      (connection) => {
        this.#drop(connection)
        return null
      },
      (thrown: unknown) => thrown,
    )
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise<unknown>((resolve) => {
      timer = setTimeout(() => resolve(silent()), answerMs * this.#places.places.length)
    })
    const failure = await Promise.race([asked, late])
    clearTimeout(timer)
    if (failure !== null && (isOfConnection(failure) || isSilence(failure)) && !this.#isClosed) {
      this.#fallSilent(failure)
      return
    }
    this.#isSilent = false
    if (from !== this.#host) {
      // Another host answers now: what waits for the former one waits for nothing.
      for (const connection of [...this.#open])
        if (connection.host === from && !connection.isPatient) this.#drop(connection)
    }
  }

  /** Nobody waits for it any longer, until it answers again. */
  #fallSilent(cause: unknown): void {
    const wasSilent = this.#isSilent
    this.#isSilent = true
    for (const { reject } of this.#waiting.splice(0)) reject(silent(cause))
    for (const connection of [...this.#open]) if (!connection.isPatient) this.#drop(connection)
    if (!wasSilent && this.#asking === undefined) this.#asked()
  }

  #asked(): void {
    this.#asking = undefined
    if (!this.#isSilent || this.#isClosed) return
    const again = setTimeout(() => {
      if (!this.#isClosed) this.#asking ??= this.#ask().finally(() => this.#asked())
    }, AGAIN_MS)
    again.unref()
  }
}

async function requireWritable({ executor }: Connection, { isWritable }: DatabasePlaces): Promise<void> {
  // Asked of each: a connection that is there and silent is no connection.
  const { rows } = await executor.execute('show transaction_read_only', [])
  if (isWritable && rows[0]?.transaction_read_only !== 'off') throw standby()
}

const isSilence = (thrown: unknown): boolean => thrown instanceof AppError && thrown.details?.database === 'silent'

const closed = (): AppError => new AppError('unavailable', 'The store is closed.')

const gone = (): AppError =>
  new AppError('unavailable', 'The connection to the database ended.', {
    hint: 'Try again; nothing of it was kept.',
    details: { database: 'away' },
  })

const silent = (cause?: unknown): AppError =>
  new AppError('unavailable', 'The database does not answer.', {
    hint: 'Check its server and the network on the way, then try again.',
    details: { database: 'silent' },
    ...(cause !== undefined && { cause }),
  })

const standby = (): AppError =>
  new AppError('unavailable', 'The database server is a standby, which can only be read.', {
    hint: 'Promote it, or name the primary in LODELINE_DATABASE_URL.',
    details: { database: 'standby' },
  })
