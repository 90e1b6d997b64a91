/** What sessions leave for the next one, where several servers share the database. */
import type { Migration, SqlWords } from '../migration'

export const handoffsMigration: Migration = {
  number: 280,
  name: 'handoffs',
  // A former program keeps its own in files, and knows of none here.
  minCompatible: 200,
  up: (t: SqlWords) => [
    `create table handoffs (
      id ${t.bytewise} primary key,
      at ${t.int} not null,
      session_native_id text,
      folder text not null,
      issue_id text,
      goal text not null,
      state text not null,
      evidence text not null,
      next text not null,
      note text not null,
      given_to text,
      given_at ${t.int}
    )`,
    'create index handoffs_at on handoffs (at)',
    'create index handoffs_session on handoffs (session_native_id)',
  ],
  down: () => ['drop table handoffs'],
}
