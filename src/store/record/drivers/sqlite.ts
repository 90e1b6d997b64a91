import type { RecordTx } from '../../../domain/record/record-store'
import { sqliteWords } from '../../migrations/words'
import { createRecordTx } from '../record-tx'
import { type StatementKeeper, sqliteDriver } from './sqlite-driver'
import type { SqliteTextQueue } from './sqlite-text'

/** The recording port on a SQLite write connection: every call answers at once. Make one per connection, not per unit. */
export function createSqliteRecordTx(connection: StatementKeeper, texts: SqliteTextQueue, now: () => number): RecordTx {
  const record = createRecordTx(
    sqliteDriver(connection),
    {
      clearText: `insert into event_text (event_text) values ('delete-all')`,
      indexText: (rows) => texts.add(rows),
      jsonText: sqliteWords.jsonText,
    },
    now,
  )
  return {
    ...record,
    clearProjections() {
      texts.flush()
      return record.clearProjections()
    },
  }
}
