/**
 * Writes `src/store/migrations/known-migrations.ts`, the names of the migrations: `npm run generate`. It opens no database: one is opened by what
 * it writes.
 */
import { resolve } from 'node:path'
import { MIGRATIONS } from '../src/store/migrations'

export const KNOWN_MIGRATIONS_FILE = resolve(import.meta.dir, '../src/store/migrations/known-migrations.ts')

/** The text of `known-migrations.ts`. */
export const knownMigrationsText =
  (): string => `// Written by scripts/generate-migrations.ts. Don't edit: run \`npm run generate\`.

/**
 * The migrations by number, without their statements: a command that finds its database as it should be loads none of those, which saves
 * it some milliseconds.
 */
export const KNOWN_MIGRATIONS: readonly { number: number; name: string }[] = [
${MIGRATIONS.map(({ number, name }) => `  { number: ${number}, name: '${name}' },`).join('\n')}
]

/** The schema that this program works with: the newest migration's number. */
export const SCHEMA_VERSION = ${MIGRATIONS.at(-1)?.number ?? 0}
`

if (import.meta.main) await Bun.write(KNOWN_MIGRATIONS_FILE, knownMigrationsText())
