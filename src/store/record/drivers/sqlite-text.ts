import type { IndexedText } from '../../../domain/record/record-store'
import type { StatementKeeper } from './sqlite-driver'

/**
 * Texts of one group of units, indexed together before its COMMIT.
 *
 * FTS5 writes what it gathered at every savepoint, and each unit begins with one: indexing inside of the units cost 27 % more
 * in an import. A unit that is rolled back takes its texts along.
 */
export class SqliteTextQueue {
  private readonly connection: StatementKeeper
  private readonly waiting: IndexedText[] = []

  constructor(connection: StatementKeeper) {
    this.connection = connection
  }

  add(texts: readonly IndexedText[]): void {
    this.waiting.push(...texts)
  }

  /** Where a unit begins; for `cut`. */
  get length(): number {
    return this.waiting.length
  }

  /** Drops the texts of a unit that is rolled back. */
  cut(length: number): void {
    this.waiting.length = length
  }

  /** Before COMMIT, and before anything else touches the index. */
  flush(): void {
    if (this.waiting.length === 0) return
    const insert = this.connection.statement('insert into event_text (rowid, text, output) values (?, ?, ?)')
    for (const { event, text, isOutput } of this.waiting)
      insert.run(event, isOutput ? null : text, isOutput ? text : null)
    this.waiting.length = 0
  }
}
