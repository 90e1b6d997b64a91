import { type Kysely, sql } from 'kysely'
import type { TextMatches, TextSearch } from '../sql/read-context'
import type { SearchTerm } from '../sql/search-words'
import type { Schema } from '../sql/tables'

/** Full-text search by tsvector: the newest `window` matches, ranked by `ts_rank`. */
export async function searchPostgresText(
  db: Kysely<Schema>,
  terms: readonly SearchTerm[],
  { session, agent, limit, window }: TextSearch,
): Promise<TextMatches> {
  const query = sql`to_tsquery('simple', ${terms.map(termQuery).join(' & ')})`
  const ofSession = session === undefined ? sql`` : sql`and session_id = ${session}`
  const ofAgent =
    agent === undefined ? sql`` : sql`and session_id in (select s.id from sessions s where s.agent = ${agent})`
  const scope = sql`${ofSession} ${ofAgent}`
  const { rows } = await sql<{ event_id: number; matches: number }>`
    with newest as (
      select event_id, words from event_text where words @@ ${query} ${scope}
       order by event_id desc limit ${window + 1}
    ), ranked as (select event_id, words from newest order by event_id desc limit ${window})
    select event_id, (select count(*) from newest) as matches from ranked
     order by ts_rank(words, ${query}) desc, event_id desc limit ${limit}
  `.execute(db)
  return { events: rows.map((row) => row.event_id), isTruncated: (rows[0]?.matches ?? 0) > window }
}

/** Quoted lexemes are never operators; the words hold no quotation mark. */
function termQuery({ words, isPrefix }: SearchTerm): string {
  const lexemes = words.map((word) => `'${word}'`)
  return `(${lexemes.join(' <-> ')}${isPrefix ? ':*' : ''})`
}
