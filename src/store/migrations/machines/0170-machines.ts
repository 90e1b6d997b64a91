/** What is known of a worker's machine, and whether it takes tasks. */
import type { Migration, SqlWords } from '../migration'

const up = (t: SqlWords): string[] => [
  // JSON: `MachineFacts`; null = the worker does not say.
  'alter table agents add column machine text',
  `alter table agents add column draining_since ${t.int}`,
  `alter table agents add column removed_at ${t.int}`,
  // Its claim looks at tasks that ask for a number (`cores>=8`).
  ...t.dropTaskUnits,
  ...t.taskUnits,
]

const down = (t: SqlWords): string[] => [
  ...t.dropTaskUnits,
  ...['removed_at', 'draining_since', 'machine'].map((column) => `alter table agents drop column ${column}`),
  ...t.taskUnits,
]

export const machinesMigration: Migration = { number: 170, name: 'machines', minCompatible: 95, up, down }
