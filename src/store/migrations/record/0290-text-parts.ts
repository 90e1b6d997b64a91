/** PostgreSQL finds the newest events with some words by parts of the record, and does not read all that ever had them. */
import type { Migration } from '../migration'

export const textPartsMigration: Migration = {
  number: 290,
  name: 'text-parts',
  minCompatible: 200,
  indexes: (t) => t.textParts,
}

/** The index of parts answers for whole words as well, so that older programs go on. */
export const dropWholeTextMigration: Migration = {
  number: 291,
  name: 'drop-whole-text',
  minCompatible: 200,
  up: (t) => t.dropWholeText,
  down: (t) => t.wholeText,
}
