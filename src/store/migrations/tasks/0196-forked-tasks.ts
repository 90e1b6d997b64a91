/** A task may go on in a copy of a session, cut at a line of it. */
import type { Migration } from '../migration'

export const forkedTasksMigration: Migration = {
  number: 196,
  name: 'forked-tasks',
  minCompatible: 130,
  up: () => ['alter table tasks add column fork_at text'],
  down: () => ['alter table tasks drop column fork_at'],
}
