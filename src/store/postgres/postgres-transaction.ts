import { AppError } from '../../domain/errors'
import { toParameter } from '../sql/values'
import { type PostgresResult, resultOf, type UnitExecutor } from './postgres-connection'
import { mapPostgresError } from './postgres-errors'
import type { ReservedConnection } from './postgres-pool'
import { isWholePass, NUMBER_ROWS } from './postgres-sequencer'

/** Statements under way for which nobody waits: a unit that writes thousands of rows is held up by the database, not by its memory. */
const MOST_UNDER_WAY = 256

/** The database's clock; PostgreSQL's own `now()` stands still in a transaction, and would not do for one that was run again. */
const CLOCK = 'select (extract(epoch from clock_timestamp()) * 1000)::bigint as now'

/** How every statement begins that adds to the feed. */
const INTO_FEED = 'insert into feed '

/** When a clock was read that is not ours. */
export interface ClockReading {
  /** Milliseconds of the epoch, by the database's clock. */
  now: number
  /** Milliseconds, of `performance.now()`: before it was asked, and after it had answered. */
  askedAt: number
  answeredAt: number
}

/**
 * A transaction on a connection of its own. Its statements go out one behind the other without waiting for answers, so that those whose
 * answers nobody needs cost no time: `begin` goes with the first question, and the last changes go with `commit`.
 *
 * PostgreSQL refuses all that follows a statement that failed, and makes a rollback of the commit. So the first failure is that of the
 * transaction, whichever answer a caller waits for at that time.
 */
export class PostgresTransaction implements UnitExecutor {
  private readonly connection: ReservedConnection
  private readonly underWay = new Set<Promise<void>>()
  private failure: AppError | undefined
  private readonly numbersFeed: boolean
  private isFeeding = false
  private isNumbered = false
  private isEnding = false

  /** @param numbersFeed  gives what it adds to the feed its numbers, on the way of the commit, if nobody else is at it */
  constructor(connection: ReservedConnection, numbersFeed = false) {
    this.connection = connection
    this.numbersFeed = numbersFeed
  }

  /** Whether what it added to the feed is still to be numbered, once it is committed. */
  get leavesUnnumbered(): boolean {
    return this.isFeeding && !this.isNumbered
  }

  /** Begins, and reads the clock. Nobody has to wait for it. */
  async begin(): Promise<ClockReading> {
    const askedAt = performance.now()
    void this.send('begin', [])
    for (const setting of this.connection.opening) void this.send(setting, [])
    const { rows } = await this.execute(CLOCK, [])
    return { now: Number(rows[0]?.now), askedAt, answeredAt: performance.now() }
  }

  /** @throws ours; once a statement has failed, its failure */
  async execute(text: string, parameters: readonly unknown[]): Promise<PostgresResult> {
    const values = parameters.map(toParameter)
    try {
      return resultOf(await this.ask(text, values))
    } catch (thrown) {
      throw this.failed(thrown)
    }
  }

  /** @see UnitExecutor.send */
  send(text: string, parameters: readonly unknown[]): void | Promise<void> {
    const sent = this.ask(text, parameters.map(toParameter)).then(
      () => void this.underWay.delete(sent),
      (thrown) => {
        this.underWay.delete(sent)
        this.failed(thrown)
      },
    )
    this.underWay.add(sent)
    if (this.underWay.size > MOST_UNDER_WAY) return sent
  }

  /** @throws the first failure of all its statements: then nothing of it is kept */
  async commit(): Promise<void> {
    const numbered = this.numbersFeed && this.isFeeding ? this.ask(NUMBER_ROWS, []) : undefined
    // The commit says so too.
    numbered?.catch(() => {})
    const asked = this.ask('commit', [])
    this.isEnding = true
    const { command } = await asked.catch((thrown) => {
      throw this.failed(thrown)
    })
    await Promise.all(this.underWay)
    if (this.failure !== undefined) throw this.failure
    if (command !== 'COMMIT') throw new AppError('internal', 'The database rolled a transaction back.')
    const [row] = (await numbered) ?? []
    this.isNumbered = row !== undefined && isWholePass(Number((row as { count: unknown }).count))
  }

  /** Undoes what was done. A connection that is gone has undone it. */
  async rollback(): Promise<void> {
    // After a commit that failed there is nothing left to undo.
    const undone = this.isEnding ? undefined : this.ask('rollback', [])
    // A unit that was given up may go on all the same: its commit must not reach the connection's next user.
    this.isEnding = true
    await undone?.catch(() => this.connection.drop())
    await Promise.all(this.underWay)
  }

  private failed(thrown: unknown): AppError {
    this.failure ??= mapPostgresError(thrown)
    return this.failure
  }

  private ask(text: string, values: unknown[]): Promise<unknown[] & { command?: string; count?: number }> {
    if (this.isEnding) throw new AppError('internal', 'A unit of work asked something behind its end.')
    this.isFeeding ||= text.startsWith(INTO_FEED)
    // The driver sends a text without parameters by another protocol, and waits for all answers before it.
    const { sql } = this.connection
    const query = values.length === 0 ? sql(template(text)) : sql.unsafe(text, values)
    // Now, not when somebody waits for it: statements run in the order in which they were asked for.
    return this.connection.watch(() => query.execute())
  }
}

const templates = new Map<string, TemplateStringsArray>()

/** A text as the tag of a template gets it. Few: texts without parameters are constants. */
function template(text: string): TemplateStringsArray {
  let made = templates.get(text)
  if (made === undefined) {
    const strings = [text]
    // As the language makes them; the driver takes no other.
    made = Object.defineProperty(strings, 'raw', { value: [text] }) as typeof strings & { raw: string[] }
    templates.set(text, made)
  }
  return made
}
