import { type Kysely, sql } from 'kysely'
import type { TextMatches, TextSearch } from '../sql/read-context'
import { OUTPUT_RANK, type SearchTerm, stemOf } from '../sql/search-words'
import type { Schema } from '../sql/tables'

/** Weights of the letters D, C, B and A: what tools gave out has D, what was said A. */
const WEIGHTS = `{${OUTPUT_RANK},1,1,1}`

/** Full-text search by tsvector: the newest `window` matches, ranked by `ts_rank`. */
export async function searchPostgresText(
  db: Kysely<Schema>,
  terms: readonly SearchTerm[],
  { session, scope, limit, window }: TextSearch,
): Promise<TextMatches> {
  const query = sql`to_tsquery('simple', ${terms.map(termQuery).join(' & ')})`
  const ofSession = session === undefined ? sql`` : sql`and session_id = ${session}`
  const ofScope =
    scope === undefined
      ? sql``
      : sql`and exists (select 1 from conversation_events e join sessions s on s.id = e.session_id
                         where e.id = event_text.event_id and ${scope})`
  const { rows } = await sql<{ event_id: number }>`
    with newest as (
      select event_id, words from event_text where words @@ ${query} ${ofSession} ${ofScope}
       order by event_id desc limit ${window + 1}
    )
    select event_id from newest order by ts_rank(${WEIGHTS}::float4[], words, ${query}) desc, event_id desc
  `.execute(db)
  const isTruncated = rows.length > window
  const oldest = isTruncated ? Math.min(...rows.map((row) => row.event_id)) : null
  const ranked = rows.map((row) => row.event_id).filter((event) => event !== oldest)
  return { events: ranked.slice(0, limit), ranked, isTruncated }
}

/** Quoted lexemes are never operators; the words hold no quotation mark. */
function termQuery({ words, match }: SearchTerm): string {
  const lexemes = words.map((word) => `'${stemOf(word)}'`)
  return `(${lexemes.join(' <-> ')}${match === 'prefix' ? ':*' : ''})`
}
