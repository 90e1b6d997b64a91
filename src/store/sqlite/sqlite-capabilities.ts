import { statSync } from 'node:fs'
import { type Kysely, sql } from 'kysely'
import { sqliteWords } from '../migrations/words'
import { hexOf } from '../sql/by-hash'
import { toJson } from '../sql/columns'
import { sqliteTaskDialect } from '../sql/dialect'
import type { ReadCapabilities } from '../sql/read-context'
import type { Schema } from '../sql/tables'
import { letterCases, lowerAscii } from '../sql/words/letter-cases'
import type { SqliteConnection } from './sqlite-connection'
import { inKeys, searchSqliteText } from './sqlite-search'

/**
 * A longer part is looked for by `instr`: SQLite refuses patterns of more than 50,000 bytes. `like` takes half the time of
 * `instr(lower(text), part)`, which copies each text.
 */
const LIKE_LIMIT = 1_000

/** How SQLite does what the two databases do differently. */
export function sqliteCapabilities(reader: SqliteConnection): ReadCapabilities {
  return {
    inKeys,
    amongKeys: inKeys,
    notInKeys: (column, keys) => sql`${column} not in (select value from json_each(${JSON.stringify(keys)}))`,
    inTexts: (column, texts) => sql`${column} in (select value from json_each(${toJson(texts)}))`,
    selectByHash: (columns, from, key, hashes) =>
      sql`${sql.raw(`select ${columns} from ${from} where ${key}`)} in (select unhex(value) from json_each(${hexOf(hashes)}))`,
    containsFolded(text, part) {
      if (part.length > LIKE_LIMIT) return sql`instr(lower(${text}), ${lowerAscii(part)}) > 0`
      const cases = letterCases(part)
      if (cases !== undefined) return sql`${text} glob ${`*${cases.map(globOf).join('')}*`}`
      return sql`${text} like ${`%${part.replaceAll(/[\\%_]/g, '\\$&')}%`} escape '\\'`
    },
    listHas: (list, text) => sql`exists (select 1 from json_each(${list}) where value = ${text})`,
    jsonText: sqliteWords.jsonText,
    list: sqliteTaskDialect.list,
    now: () => sql`${Date.now()}`,
    searchText: searchSqliteText,
    storage: async () => ({ kind: 'sqlite', bytes: fileBytes(reader.path), settings: readSettings(reader) }),
  }
}

/** Within brackets no character but the closing one has a meaning of its own, and that one has none outside. */
const globOf = (cases: readonly string[]): string =>
  cases.length > 1 || /[*?[]/.test(cases[0] ?? '') ? `[${cases.join('')}]` : (cases[0] ?? '')

/** Removes a session's events from the full-text index; before its events, whose keys it needs. */
export async function deleteSqliteText(db: Kysely<Schema>, session: number): Promise<void> {
  await db
    .deleteFrom('event_text')
    .where('rowid', 'in', (eb) => eb.selectFrom('conversation_events').select('id').where('session_id', '=', session))
    .execute()
}

function fileBytes(path: string): number {
  let bytes = 0
  for (const file of [path, `${path}-wal`]) {
    bytes += statSync(file, { throwIfNoEntry: false })?.size ?? 0
  }
  return bytes
}

function readSettings(reader: SqliteConnection): Record<string, string> {
  const settings: Record<string, string> = { path: reader.path }
  for (const name of ['journal_mode', 'page_size', 'page_count', 'freelist_count', 'encoding']) {
    const row = reader.get<Record<string, unknown>>(`pragma ${name}`)
    settings[name] = String(Object.values(row ?? {})[0])
  }
  return settings
}
