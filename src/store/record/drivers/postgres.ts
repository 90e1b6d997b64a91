import type { IndexedText, RecordTx } from '../../../domain/record/record-store'
import { postgresWords } from '../../migrations/words'
import { vectorOf } from '../../sql/words/text-vector'
import { createRecordTx } from '../record-tx'
import { type PostgresUnitExecutor, postgresDriver } from './postgres-driver'
import { columnsOf } from './postgres-insert'

/** A word's weight in a `tsvector`: what somebody said, and what a tool gave out. @see searchPostgresText */
const TEXT_WEIGHT = 'A'
const OUTPUT_WEIGHT = 'D'

/** Texts in one statement. */
const ROWS_AT_ONCE = 500

const INDEX_TEXT = `insert into event_text (event_id, session_id, words)
  select * from unnest($1::text::bigint[], $2::text::bigint[], $3::text::tsvector[])
  on conflict (event_id) do nothing`

/** The recording port inside one PostgreSQL transaction. */
export function createPostgresRecordTx(executor: PostgresUnitExecutor, now: () => number): RecordTx {
  return createRecordTx(
    postgresDriver(executor),
    {
      clearText: 'delete from event_text',
      jsonText: postgresWords.jsonText,
      async indexText(rows) {
        for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
          const part = rows.slice(from, from + ROWS_AT_ONCE)
          const vector = (row: IndexedText) => vectorOf(row.text, row.isOutput ? OUTPUT_WEIGHT : TEXT_WEIGHT)
          await executor.send(INDEX_TEXT, columnsOf(part.map((row) => [row.event, row.session, vector(row)])))
        }
      },
    },
    now,
  )
}
