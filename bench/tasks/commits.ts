import { Database } from 'bun:sqlite'

/** Commits after which the log of a new database is written over and grows no more, which each of these had to wait for. */
const FILLING = 2_000
/** Rounds are short: the disk's speed changes from one second to the next. */
const MEASURE_MS = 400

/**
 * The plainest durable transaction that SQLite can make here: one row of 200 characters into a table without an index, in WAL,
 * with `synchronous = full`, as the store has it. Its log has its size already, as that of a database in use.
 */
export class PlainCommits {
  private readonly db: Database
  private readonly insert: ReturnType<Database['prepare']>

  constructor(path: string) {
    this.db = new Database(path)
    this.db.run('pragma journal_mode = wal')
    this.db.run('create table t (id integer primary key, text text)')
    this.insert = this.db.prepare('insert into t (text) values (?)')
    this.db.run('pragma synchronous = off')
    for (let row = 0; row < FILLING; row++) this.one()
    this.db.run('pragma synchronous = full')
  }

  /** Commits a second, now. */
  perSecond(): number {
    const startedAt = performance.now()
    let count = 0
    for (; performance.now() < startedAt + MEASURE_MS; count++) this.one()
    return count / ((performance.now() - startedAt) / 1_000)
  }

  close(): void {
    this.db.close()
  }

  private one(): void {
    this.insert.run('x'.repeat(200))
  }
}
