import { type Kysely, sql } from 'kysely'
import type { TextMatches, TextSearch } from '../../sql/read-context'
import { OUTPUT_RANK, type SearchTerm, stemOf } from '../../sql/search-words'
import type { Schema } from '../../sql/tables'
import { inKeys } from './postgres-keys'
import { newestPostgresMatches } from './postgres-matches'

/** Weights of the letters D, C, B and A: what tools gave out has D, what was said A. */
const WEIGHTS = `{${OUTPUT_RANK},1,1,1}`

/** Full-text search by tsvector: the newest `window` matches, ranked by `ts_rank`. */
export async function searchPostgresText(
  db: Kysely<Schema>,
  terms: readonly SearchTerm[],
  search: TextSearch,
): Promise<TextMatches> {
  const { keys, isTruncated } = await newestPostgresMatches(db, { terms, query: asTsquery }, search)
  if (keys.length === 0) return { events: [], ranked: [], isTruncated }
  const { rows } = await sql<{ event_id: number }>`
    select event_id from event_text where ${inKeys(sql.ref<number>('event_id'), keys)}
     order by ts_rank(${WEIGHTS}::float4[], words, ${asTsquery(terms)}) desc, event_id desc limit ${search.limit}
  `.execute(db)
  return { events: rows.map((row) => row.event_id), ranked: keys, isTruncated }
}

const asTsquery = (terms: readonly SearchTerm[]) => sql`to_tsquery('simple', ${terms.map(termQuery).join(' & ')})`

/** Quoted lexemes are never operators; the words hold no quotation mark. */
function termQuery({ words, match }: SearchTerm): string {
  const lexemes = words.map((word) => `'${stemOf(word)}'`)
  return `(${lexemes.join(' <-> ')}${match === 'prefix' ? ':*' : ''})`
}
