/** The oldest schema whose programs work beside each migration: the schema itself says which programs may go on. */
import type { Migration, SqlWords } from '../migration'

// Empty = none but those that know the migration.
const up = (t: SqlWords): string[] => [`alter table schema_migrations add column min_compatible ${t.int}`]

const down = (): string[] => ['alter table schema_migrations drop column min_compatible']

export const compatibleMigration: Migration = { number: 55, name: 'compatible', up, down }
