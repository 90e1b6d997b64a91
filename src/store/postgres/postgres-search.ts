import { type Kysely, type SqlBool, sql } from 'kysely'
import { newestMatches } from '../conversation/newest-matches'
import type { ReadCapabilities, TextMatches, TextSearch } from '../sql/read-context'
import { OUTPUT_RANK, type SearchTerm, stemOf } from '../sql/search-words'
import type { Schema } from '../sql/tables'

/** Weights of the letters D, C, B and A: what tools gave out has D, what was said A. */
const WEIGHTS = `{${OUTPUT_RANK},1,1,1}`

/** As text: the driver's own arrays are not bound where the statement is prepared for any number of keys. */
export const inKeys: ReadCapabilities['inKeys'] = (column, keys) =>
  sql<SqlBool>`${column} = any(${`{${keys.join(',')}}`}::text::bigint[])`

/** Full-text search by tsvector: the newest `window` matches, ranked by `ts_rank`. */
export async function searchPostgresText(
  db: Kysely<Schema>,
  terms: readonly SearchTerm[],
  search: TextSearch,
): Promise<TextMatches> {
  const query = sql`to_tsquery('simple', ${terms.map(termQuery).join(' & ')})`
  const key = sql.ref<number>('event_id')
  const { keys, isTruncated } = await newestMatches(db, { key, isMatch: sql`words @@ ${query}`, inKeys }, search)
  const { rows } = await sql<{ event_id: number }>`
    select event_id from event_text where ${inKeys(key, keys)}
     order by ts_rank(${WEIGHTS}::float4[], words, ${query}) desc, event_id desc limit ${search.limit}
  `.execute(db)
  return { events: rows.map((row) => row.event_id), ranked: keys, isTruncated }
}

/** Quoted lexemes are never operators; the words hold no quotation mark. */
function termQuery({ words, match }: SearchTerm): string {
  const lexemes = words.map((word) => `'${stemOf(word)}'`)
  return `(${lexemes.join(' <-> ')}${match === 'prefix' ? ':*' : ''})`
}
