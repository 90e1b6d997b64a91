import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { TextMatches, TextSearch } from '../sql/read-context'
import { OUTPUT_RANK, type SearchTerm } from '../sql/search-words'
import type { Schema } from '../sql/tables'

/**
 * A word in more events than this weighs next to nothing in bm25, which walks its whole list to find that out: 23 ms for a
 * word in 800,000 events. Such words decide what matches, not what comes first.
 */
const COMMON_MATCHES = 5_000
/** Weights of the index's columns. */
const RANK = `bm25(1.0, ${OUTPUT_RANK})`

/**
 * Full-text search by FTS5: the newest `window` matches, ranked by bm25 of their less common words; where all words are
 * common, the newest first.
 */
export async function searchSqliteText(
  db: Kysely<Schema>,
  terms: readonly SearchTerm[],
  search: TextSearch,
): Promise<TextMatches> {
  const { session, limit, window } = search
  const query = terms.map(termQuery).join(' AND ')
  const range = session === undefined ? undefined : await eventRange(db, session)
  if (session !== undefined && range === undefined) return { events: [], ranked: [], isTruncated: false }
  const inRange = range === undefined ? sql`` : sql`and rowid between ${range.first} and ${range.last}`
  const scope = sql`${inRange} ${eventScope(search)}`

  const newest = await sql<{ rowid: number }>`
    select rowid from event_text where event_text match ${query} ${scope} order by rowid desc limit ${window + 1}
  `.execute(db)
  const isTruncated = newest.rows.length > window
  const inWindow = newest.rows.slice(0, window).map((row) => row.rowid)
  const telling: SearchTerm[] = []
  for (const term of terms) if ((terms.length === 1 && !isTruncated) || !(await isCommon(db, term))) telling.push(term)
  if (telling.length === 0 || inWindow.length <= 1)
    return { events: inWindow.slice(0, limit), ranked: inWindow, isTruncated }
  const floor = inWindow.at(-1) ?? 0
  const matching =
    telling.length === terms.length
      ? sql`event_text match ${query}`
      : sql`event_text match ${telling.map(termQuery).join(' AND ')} and rowid in
            (select rowid from event_text where event_text match ${query} and rowid >= ${floor})`
  const ranked = await sql<{ rowid: number }>`
    select rowid from event_text
     where ${matching} and rank match ${RANK} and rowid >= ${floor} ${scope} order by rank limit ${limit}
  `.execute(db)
  return { events: ranked.rows.map((row) => row.rowid), ranked: inWindow, isTruncated }
}

function eventScope({ session, scope }: TextSearch): RawBuilder<unknown> {
  if (session === undefined && scope === undefined) return sql``
  const ofSession = session === undefined ? sql`` : sql`and e.session_id = ${session}`
  const ofScope = scope === undefined ? sql`` : sql`and ${scope}`
  return sql`and exists (select 1 from conversation_events e join sessions s on s.id = e.session_id
                          where e.id = event_text.rowid ${ofSession} ${ofScope})`
}

/** A quoted string is never an operator; `*` after it makes its last word a prefix. The words hold no quotation mark. */
const termQuery = ({ words, match }: SearchTerm): string => `"${words.join(' ')}"${match === 'prefix' ? '*' : ''}`

async function isCommon(db: Kysely<Schema>, term: SearchTerm): Promise<boolean> {
  const far = await sql<{ rowid: number }>`
    select rowid from event_text where event_text match ${termQuery(term)} order by rowid desc limit 1 offset ${COMMON_MATCHES}
  `.execute(db)
  return far.rows.length > 0
}

async function eventRange(db: Kysely<Schema>, session: number): Promise<{ first: number; last: number } | undefined> {
  const row = await db
    .selectFrom('conversation_events')
    .select((eb) => [eb.fn.min<number | null>('id').as('first'), eb.fn.max<number | null>('id').as('last')])
    .where('session_id', '=', session)
    .executeTakeFirst()
  if (row === undefined || row.first === null || row.last === null) return undefined
  return { first: row.first, last: row.last }
}
