import { type Kysely, sql } from 'kysely'
import type { TextMatches, TextSearch } from '../../sql/read-context'
import type { Schema } from '../../sql/tables'
import { OUTPUT_RANK, type SearchTerm } from '../../sql/words/search-words'
import { lexemeOf } from '../../sql/words/text-vector'
import { newestPostgresMatches } from './postgres-matches'

/** Weights of the letters D, C, B and A: what tools gave out has D, what was said A. */
const WEIGHTS = `{${OUTPUT_RANK},1,1,1}`

/** Full-text search by tsvector: the newest `window` matches, ranked by `ts_rank`. */
export async function searchPostgresText(
  db: Kysely<Schema>,
  terms: readonly SearchTerm[],
  search: TextSearch,
): Promise<TextMatches> {
  const rank = sql<number>`ts_rank(${WEIGHTS}::float4[], words, ${asTsquery(terms)})`
  const { matches, isTruncated } = await newestPostgresMatches(db, { terms, query: asTsquery, rank }, search)
  const best = matches.toSorted((a, b) => b.rank - a.rank || b.key - a.key).slice(0, search.limit)
  return { events: best.map(({ key }) => key), ranked: matches.map(({ key }) => key), isTruncated }
}

/** Its words are those of the index as they are: `to_tsquery` would read them once more. */
const asTsquery = (terms: readonly SearchTerm[]) => sql`${terms.map(termQuery).join(' & ')}::text::tsquery`

/** Quoted lexemes are never operators; the words hold no quotation mark. */
function termQuery({ words, match }: SearchTerm): string {
  const lexemes = words.map((word) => `'${lexemeOf(word)}'`)
  return `(${lexemes.join(' <-> ')}${match === 'prefix' ? ':*' : ''})`
}
