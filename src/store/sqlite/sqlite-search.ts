import { type Kysely, type SqlBool, sql } from 'kysely'
import { newestMatches, type TextIndex } from '../conversation/newest-matches'
import type { ReadCapabilities, TextMatches, TextSearch } from '../sql/read-context'
import type { Schema } from '../sql/tables'
import { OUTPUT_RANK, type SearchTerm } from '../sql/words/search-words'

/**
 * A word in more events than this weighs next to nothing in bm25, which walks its whole list to find that out: 23 ms for a
 * word in 800,000 events. Such words decide what matches, not what comes first.
 */
const COMMON_MATCHES = 5_000
/** Matches of a phrase, or of the beginning of words, that are looked at: for each, FTS5 reads several lists with the places of words. */
const SLOW_MATCHES = 500
/** Weights of the index's columns. */
const RANK = `bm25(1.0, ${OUTPUT_RANK})`

/**
 * Full-text search by FTS5: the newest `window` matches, ranked by bm25 of their less common words; where all words are
 * common or stand in phrases, the newest first.
 */
export async function searchSqliteText(
  db: Kysely<Schema>,
  terms: readonly SearchTerm[],
  search: TextSearch,
): Promise<TextMatches> {
  const { limit } = search
  const isSlow = terms.some(({ words, match }) => words.length > 1 || match === 'prefix')
  const window = isSlow ? Math.min(search.window, Math.max(limit, SLOW_MATCHES)) : search.window
  const { keys, isTruncated } = await newestMatches(db, indexFor(terms), { ...search, window })
  const telling = keys.length <= 1 ? [] : await tellingTerms(db, terms, isTruncated)
  if (telling.length === 0) return { events: keys.slice(0, limit), ranked: keys, isTruncated }
  // The plus keeps FTS5 from seeking each key by itself: it would weigh the words again for each.
  const { rows } = await sql<{ rowid: number }>`
    select rowid from event_text
     where event_text match ${telling.map(termQuery).join(' AND ')} and rank match ${RANK}
       and rowid >= ${keys.at(-1) ?? 0} and ${inKeys(sql<number>`+rowid`, keys)}
     order by rank limit ${limit}
  `.execute(db)
  return { events: rows.map((row) => row.rowid), ranked: keys, isTruncated }
}

const indexFor = (terms: readonly SearchTerm[]): TextIndex => ({
  key: sql.ref<number>('rowid'),
  isMatch: sql`event_text match ${terms.map(termQuery).join(' AND ')}`,
  inKeys,
})

export const inKeys: ReadCapabilities['inKeys'] = (column, keys) =>
  sql<SqlBool>`${column} in (select value from json_each(${JSON.stringify(keys)}))`

/** A quoted string is never an operator; `*` after it makes its last word a prefix. The words hold no quotation mark. */
const termQuery = ({ typed, match }: SearchTerm): string => `"${typed.join(' ')}"${match === 'prefix' ? '*' : ''}`

/**
 * Terms whose weight is worth its price. A phrase and a path have none, nor has the beginning of many words: FTS5 goes through all of
 * their matches, in the whole index, to find one out.
 */
async function tellingTerms(
  db: Kysely<Schema>,
  terms: readonly SearchTerm[],
  isTruncated: boolean,
): Promise<SearchTerm[]> {
  const telling: SearchTerm[] = []
  for (const term of terms) {
    if (term.words.length > 1) continue
    const isTelling = term.match === 'word' ? !(await isCommon(db, term)) : terms.length === 1 && !isTruncated
    if (isTelling) telling.push(term)
  }
  return telling
}

async function isCommon(db: Kysely<Schema>, term: SearchTerm): Promise<boolean> {
  const far = await sql<{ rowid: number }>`
    select rowid from event_text where event_text match ${termQuery(term)} order by rowid desc limit 1 offset ${COMMON_MATCHES}
  `.execute(db)
  return far.rows.length > 0
}
