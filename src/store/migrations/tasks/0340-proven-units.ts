/** On PostgreSQL: short units of tasks look up the token of their caller, and number the feed. */
import type { Migration } from '../migration'

export const provenUnitsMigration: Migration = {
  number: 340,
  name: 'proven-units',
  minCompatible: 200,
  up: (t) => [...t.dropTaskUnits, ...t.taskUnits, ...t.severalTaskUnits],
  // The function itself does for older programs what it did.
  down: (t) => t.dropSeveralTaskUnits,
}
