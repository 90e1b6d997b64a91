/** The last change of its issue that each session heard of, where several servers share the database. */
import type { Migration, SqlWords } from '../migration'

export const toldChangesMigration: Migration = {
  number: 360,
  name: 'told-changes',
  // A former program keeps its own in files, and knows of none here.
  minCompatible: 200,
  up: (t: SqlWords) => [
    `create table told_changes (
      session_native_id text not null,
      issue_id ${t.int} not null,
      up_to ${t.int} not null,
      at ${t.int} not null,
      primary key (session_native_id, issue_id)
    )`,
    'create index told_changes_at on told_changes (at)',
  ],
  down: () => ['drop table told_changes'],
}
