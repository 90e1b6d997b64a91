/** The share of a task: fair shares and limits count by it. */
import type { Migration, SqlWords } from '../migration'

const up = (t: SqlWords): string[] => [
  // JSON: [user, project]; null = nobody in particular.
  'alter table tasks add column share text',
  // A part of the set: each share has a range of its own in the index of open tasks. The set's digest covers it.
  `alter table capability_sets add column share text not null default ''`,
  `create index tasks_running on tasks (share, needed_clis) where status = 'in_progress'`,
  ...t.dropTaskUnits,
  ...t.taskUnits,
]

const down = (t: SqlWords): string[] => [
  ...t.dropTaskUnits,
  'drop index tasks_running',
  'alter table capability_sets drop column share',
  'alter table tasks drop column share',
  ...t.taskUnits,
]

export const sharesMigration: Migration = { number: 171, name: 'shares', minCompatible: 95, up, down }
