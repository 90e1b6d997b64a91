/** A token may be a link that shows a part of one session. */
import type { Migration, SqlWords } from '../migration'

// Programs of the former version never look for such a purpose: to them it is nobody's token.
const COLUMNS = (t: SqlWords) => ['shared_session text', `shared_from ${t.int}`, `shared_until ${t.int}`]

const up = (t: SqlWords): string[] => COLUMNS(t).map((column) => `alter table tokens add column ${column}`)

const down = (t: SqlWords): string[] => [
  "delete from tokens where purpose = 'share'",
  ...COLUMNS(t).map((column) => `alter table tokens drop column ${column.split(' ')[0]}`),
]

export const sharedSessionsMigration: Migration = { number: 180, name: 'shared-sessions', minCompatible: 130, up, down }
