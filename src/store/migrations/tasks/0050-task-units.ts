/**
 * On PostgreSQL: a function that does a short unit of tasks in one statement. It knows no rule: it says what units read, and writes what
 * one decided if all that it read is still so.
 */
import type { Migration, SqlWords } from '../migration'

const up = (t: SqlWords): string[] => t.taskUnits

const down = (t: SqlWords): string[] => t.dropTaskUnits

export const taskUnitsMigration: Migration = { number: 50, name: 'task-units', up, down }
