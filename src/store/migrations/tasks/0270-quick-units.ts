/** On PostgreSQL: short units of tasks, and the triggers that they set off, do less where there is less to do. */
import type { Migration } from '../migration'

export const quickUnitsMigration: Migration = {
  number: 270,
  name: 'quick-units',
  minCompatible: 200,
  up: (t) => [...t.dropTaskUnits, ...t.taskUnits, ...t.quickUnits],
  down: (t) => t.slowUnits,
}
