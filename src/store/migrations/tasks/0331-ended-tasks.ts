/** Tasks by their end and how they ended: how many were completed in a year is counted along the index. */
import type { Migration } from '../migration'

export const endedTasksMigration: Migration = {
  number: 331,
  name: 'ended-tasks',
  minCompatible: 330,
  indexes: (t) => [
    { name: 'tasks_ended', on: `tasks (finished_at, status${t.thenKey}) where finished_at is not null` },
  ],
}

/** `tasks_ended` does what it did. */
export const dropFinishedMigration: Migration = {
  number: 332,
  name: 'drop-finished',
  minCompatible: 330,
  up: () => ['drop index tasks_finished'],
  down: () => ['create index tasks_finished on tasks (finished_at) where finished_at is not null'],
}
