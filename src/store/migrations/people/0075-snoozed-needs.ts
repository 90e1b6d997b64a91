/** A need may be put off until a time. */
import type { Migration, SqlWords } from '../migration'

// Milliseconds; null = it was taken off for good.
const up = (t: SqlWords): string[] => [`alter table need_dismissals add column snoozed_until ${t.int}`]

const down = (): string[] => [
  // A version before would take what is put off for dismissed.
  'delete from need_dismissals where snoozed_until is not null',
  'alter table need_dismissals drop column snoozed_until',
]

export const snoozedNeedsMigration: Migration = { number: 75, name: 'snoozed-needs', up, down }
