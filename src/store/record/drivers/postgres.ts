import type { RecordTx } from '../../../domain/record/record-store'
import { postgresWords } from '../../migrations/words'
import { createRecordTx } from '../record-tx'
import { type PostgresUnitExecutor, postgresDriver } from './postgres-driver'
import { insertEventsAtOnce } from './postgres-events'

/** A word's weight in a `tsvector`: what somebody said, and what a tool gave out. @see searchPostgresText */
const TEXT_WEIGHT = 'A'
const OUTPUT_WEIGHT = 'D'

/** The recording port inside one PostgreSQL transaction. */
export function createPostgresRecordTx(executor: PostgresUnitExecutor, now: () => number): RecordTx {
  const driver = postgresDriver(executor)
  return createRecordTx(
    driver,
    {
      clearText: 'delete from event_text',
      jsonText: postgresWords.jsonText,
      insertEvents: (rows) => insertEventsAtOnce(executor, driver, rows),
      async indexText(rows) {
        for (let from = 0; from < rows.length; from += 500) {
          const part = rows.slice(from, from + 500)
          const places = part.map(
            (row, i) =>
              `($${3 * i + 1}, $${3 * i + 2}, setweight(to_tsvector('simple', $${3 * i + 3}), '${row.isOutput ? OUTPUT_WEIGHT : TEXT_WEIGHT}'))`,
          )
          await executor.send(
            `insert into event_text (event_id, session_id, words) values ${places.join(', ')} on conflict (event_id) do nothing`,
            part.flatMap((row) => [row.event, row.session, row.text]),
          )
        }
      },
    },
    now,
  )
}
