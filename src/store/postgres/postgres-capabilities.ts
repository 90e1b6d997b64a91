import { type Kysely, sql } from 'kysely'
import { postgresWords } from '../migrations/words'
import { hexOf } from '../sql/by-hash'
import { toJson } from '../sql/columns'
import { postgresTaskDialect } from '../sql/dialect'
import type { ReadCapabilities } from '../sql/read-context'
import type { Schema } from '../sql/tables'
import { letterCases, lowerAscii } from '../sql/words/letter-cases'
import { amongKeys, inKeys } from './search/postgres-keys'
import { searchPostgresText } from './search/postgres-search'

const SETTINGS = ['server_version', 'synchronous_commit', 'server_encoding', 'max_connections'] as const

/** A regular expression. Behind a backslash no character but letters and digits has a meaning of its own. */
const patternOf = (cases: readonly string[]): string =>
  cases.length > 1
    ? `[${cases.join('')}]`
    : (cases[0] ?? '').replace(/[\0-\x7f]/, (one) => (/\w/.test(one) ? one : `\\${one}`))

/** How PostgreSQL does what the two databases do differently. */
export const postgresCapabilities: ReadCapabilities = {
  inKeys,
  amongKeys,
  // As a subquery, of which a hash is made once: the text of an array is read anew for each row.
  notInKeys: (column, keys) => sql`${column} not in (select unnest(${`{${keys.join(',')}}`}::text::bigint[]))`,
  // As one array: a subquery is taken for a hundred texts when a statement has been run a few times, and joined to all rows of a session.
  inTexts: (column, texts) =>
    sql`${column} = any(array(select json_array_elements_text(${toJson(texts)}::text::json)))`,
  // A join could read the whole table: the plan is kept, and the table was small when it was made.
  selectByHash: (columns, from, key, hashes) =>
    sql`select found.* from json_array_elements_text(${hexOf(hashes)}::text::json) as asked(hash)
      cross join lateral (${sql.raw(`select ${columns} from ${from} where ${key} = decode(asked.hash, 'hex') limit 1`)}) as found`,
  containsFolded(text, part) {
    const cases = letterCases(part)
    return cases === undefined
      ? sql`strpos(lower(${text}), ${lowerAscii(part)}) > 0`
      : sql`${text} ~ ${cases.map(patternOf).join('')}`
  },
  listHas: (list, text) => sql`jsonb_exists(${list}::jsonb, ${text})`,
  jsonText: postgresWords.jsonText,
  list: postgresTaskDialect.list,
  now: () => sql`(extract(epoch from clock_timestamp()) * 1000)::bigint`,
  searchText: searchPostgresText,
  async storage(db) {
    const size = await sql<{ bytes: number; name: string }>`
      select pg_database_size(current_database()) as bytes, current_database() as name
    `.execute(db)
    const shown = await sql<{ name: string; setting: string }>`
      select name, setting from pg_settings where name in (${sql.join(SETTINGS.map((name) => sql.lit(name)))})
    `.execute(db)
    const settings = Object.fromEntries(shown.rows.map((row) => [row.name, row.setting]))
    return {
      kind: 'postgres',
      bytes: size.rows[0]?.bytes ?? null,
      settings: { database: size.rows[0]?.name ?? '', ...settings },
    }
  },
}

/** The foreign key from `event_text` takes its rows along. */
export async function deletePostgresText(_db: Kysely<Schema>, _session: number): Promise<void> {}
