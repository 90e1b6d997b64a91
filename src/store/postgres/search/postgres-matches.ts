/** Which events have all words of a search and lie in its scope, the newest first: by parts of the record, the newest first. */
import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import { ofEvent } from '../../conversation/search-scope'
import { FIRST_SESSIONS, failedEvents, sessionGroups } from '../../conversation/session-groups'
import { EVENTS_OF_PART, TEXT_PART } from '../../migrations/words'
import type { SearchScope, TextSearch } from '../../sql/read-context'
import type { Schema } from '../../sql/tables'
import type { SearchTerm } from '../../sql/words/search-words'
import { inKeys } from './postgres-keys'

/** How much is looked at, and when. */
export interface PartsWork {
  /** Events of a part. Another number than the index has is right, too, and slow. */
  eventsOfPart: number
  /** Parts that are looked at first. */
  firstParts: number
  /** More are not told apart: what is left is looked at as a whole. */
  mostParts: number
  /** So many matches seem to be left: it is quicker to look through sessions than through them. */
  manyMatches: number
  /** So few seem to be left that the index tells all of them sooner than those of many parts. */
  fewMatches: number
  /** From this many matches on, their number tells how many are left. */
  tellingMatches: number
  /** With this many parts the index finds matches as soon as with all. */
  someParts: number
  /** Sessions that are looked at first, where only what failed is asked for, and events of sessions elsewhere. */
  firstSessions: number
  firstEvents: number
}

const WORK: PartsWork = {
  eventsOfPart: EVENTS_OF_PART,
  firstParts: 1,
  mostParts: 512,
  manyMatches: 8_000,
  fewMatches: 5_000,
  tellingMatches: 50,
  someParts: 32,
  firstSessions: FIRST_SESSIONS,
  firstEvents: 2_000,
}
/** Each round looks at most at this many times what the one before did. */
const GROWTH = 8
/** The same where words stand nowhere yet: nor will they in much of the rest. A phrase's words stand in many, which are all read. */
const GROWTH_OF_NONE = 64
/** Somewhat more than seems to be needed: another round costs more. */
const MARGIN = 1.2
/** Without a whole word, the index puts together the lists of all words that begin so. Rows of more parts than this are not walked instead. */
const WALKED_PARTS = 48

/** What is looked for, in the words of the database. */
export interface Wanted {
  terms: readonly SearchTerm[]
  /** As a `tsquery`. */
  query(terms: readonly SearchTerm[]): RawBuilder<unknown>
  /** How well a row of the text index matches: more is better. */
  rank: RawBuilder<number>
}

/** A match by its event's key. */
export interface RankedMatch {
  key: number
  rank: number
}

export interface PostgresMatches {
  /** The newest first. */
  matches: RankedMatch[]
  /** There are more, or may be. */
  isTruncated: boolean
}

/**
 * The newest matches, at most `search.window`. With a scope, or a phrase, it stops earlier: with at least `search.limit`, or with all of them.
 *
 * A word stands in so many events that the index is asked for one part of the record after another, for as many as the matches so far
 * promise to need. If a scope leaves few of many matches, it goes through its sessions instead, those that went on last first.
 */
export async function newestPostgresMatches(
  db: Kysely<Schema>,
  wanted: Wanted,
  search: TextSearch,
  work = WORK,
): Promise<PostgresMatches> {
  const { session, scope, limit, window } = search
  const range = await rangeOf(db, session)
  if (range === null) return { matches: [], isTruncated: false }
  const ranks = new Map<number, number>()
  const asked = ofEvent(scope)
  const isPhrase = wanted.terms.some(({ words }) => words.length > 1)
  const stopsEarly = session === undefined && (asked !== undefined || isPhrase)
  const enough = stopsEarly ? limit : window + 1
  const isMatch = matching(wanted)
  const found = (isTruncated: boolean): PostgresMatches => ({
    matches: Array.from(ranks, ([key, rank]) => ({ key, rank }))
      .sort((a, b) => b.key - a.key)
      .slice(0, window),
    isTruncated: isTruncated || ranks.size > window,
  })
  const partOf = (event: number) => Math.floor(event / work.eventsOfPart)
  const lowest = partOf(range.first)
  let looked = 0
  for (let above = partOf(range.last) + 1, size = work.firstParts, isWhole = false; ; ) {
    const from = isWhole ? lowest : Math.max(lowest, above - size)
    const part = await lookAt(db, {
      isMatch: isMatch({ from, above, isWhole }, work.eventsOfPart),
      inScope: scopeOfRow(session, asked),
      rank: wanted.rank,
      most: window + 1,
    })
    for (const { key, rank } of part.matches) ranks.set(key, rank)
    looked += part.looked
    above = from
    if (above <= lowest) return found(false)
    if (ranks.size >= enough) return found(true)
    const left = above * work.eventsOfPart
    const seen = Math.max(1, range.last + 1 - left)
    const matchesLeft = (looked / seen) * (left - range.first)
    if (isSparse(scope, session) && matchesLeft > work.manyMatches)
      return found(await bySession(db, wanted, search, { ranks, upTo: left - 1, work }))
    const needed = ranks.size === 0 ? Number.POSITIVE_INFINITY : ((enough - ranks.size) / ranks.size) * seen * MARGIN
    const parts = Math.ceil(needed / work.eventsOfPart)
    size = Math.min(parts, (looked === 0 && !isPhrase ? GROWTH_OF_NONE : GROWTH) * size)
    isWhole =
      size > work.mostParts ||
      (!isPhrase &&
        looked >= work.tellingMatches &&
        matchesLeft <= work.fewMatches &&
        Math.min(parts, above) > work.someParts)
  }
}

/** Whether sessions tell the scope apart better than matches do. */
const isSparse = ({ sessions, isFailed }: SearchScope, session: number | undefined): boolean =>
  session === undefined && (sessions !== undefined || isFailed)

/** The first and the last event; `null` = there is none. */
async function rangeOf(
  db: Kysely<Schema>,
  session: number | undefined,
): Promise<{ first: number; last: number } | null> {
  const { rows } = await sql<{ first: number | null; last: number | null }>`
    ${session === undefined ? sql`select min(event_id) as first, max(event_id) as last from event_text` : sql`select min(id) as first, max(id) as last from conversation_events where session_id = ${session}`}
  `.execute(db)
  const { first = null, last = null } = rows[0] ?? {}
  return first === null || last === null ? null : { first: Number(first), last: Number(last) }
}

/** As a value, so that it is no join and matches are looked at one by one. */
function scopeOfRow(session: number | undefined, asked: RawBuilder<SqlBool> | undefined): RawBuilder<unknown> {
  const ofSession = session === undefined ? sql`true` : sql`event_text.session_id = ${session}`
  if (asked === undefined) return ofSession
  return sql`(${ofSession} and (select ${asked} from conversation_events e where e.id = event_text.event_id))`
}

interface Parts {
  from: number
  /** Not included. */
  above: number
  /** They are too many to be named each. */
  isWhole: boolean
}

/** Whether a row of some parts has the words: by the index, and what the index is slow to tell by the row itself. */
function matching({ terms, query }: Wanted) {
  const whole = terms.filter(({ match }) => match === 'word')
  const begun = terms.filter(({ match }) => match !== 'word')
  return ({ from, above, isWhole }: Parts, eventsOfPart: number): RawBuilder<SqlBool> => {
    const isBetween = (key: RawBuilder<unknown>) =>
      sql<SqlBool>`${key} >= ${from * eventsOfPart} and ${key} < ${above * eventsOfPart}`
    if (whole.length === 0 && above - from <= WALKED_PARTS)
      return sql`${isBetween(sql`event_id`)} and ${hasWords(query(terms))}`
    const parts = `{${Array.from({ length: above - from }, (_, at) => from + at).join(',')}}`
    const isThere =
      isWhole || eventsOfPart !== EVENTS_OF_PART
        ? // The plus keeps the planner from going through all keys as well.
          isBetween(sql`event_id + 0`)
        : sql`${sql.raw(TEXT_PART)} && ${parts}::text::int[]`
    if (whole.length === 0) return sql`${isThere} and words @@ ${query(terms)}`
    return sql`${isThere} and words @@ ${query(whole)} ${begun.length === 0 ? sql`` : sql`and ${hasWords(query(begun))}`}`
  }
}

/** The same as `@@`, but no index answers it. */
const hasWords = (query: RawBuilder<unknown>): RawBuilder<SqlBool> => sql<SqlBool>`ts_match_vq(words, ${query})`

interface Look {
  isMatch: RawBuilder<SqlBool>
  inScope: RawBuilder<unknown>
  rank: RawBuilder<number>
  most: number
}

/**
 * The newest matches in the scope, and how many there are in whatever scope. They come in no order at first: the planner would walk all
 * events by it. A row is ranked as it is looked at, since finding it again costs more.
 */
async function lookAt(
  db: Kysely<Schema>,
  { isMatch, inScope, rank, most }: Look,
): Promise<{ matches: RankedMatch[]; looked: number }> {
  const { rows } = await sql<{ looked: number; matches: string | null }>`
    with found as materialized (select event_id, case when ${inScope} then ${rank} end as rank from event_text where ${isMatch})
    select (select count(*) from found) as looked, (select string_agg(event_id || ' ' || rank, ',') from (
      select event_id, rank from found where rank is not null order by event_id desc limit ${most}) newest) as matches
  `.execute(db)
  const { looked = 0, matches = null } = rows[0] ?? {}
  return { looked: Number(looked), matches: matches === null ? [] : matches.split(',').map(rankedMatch) }
}

function rankedMatch(text: string): RankedMatch {
  const [key, rank] = text.split(' ').map(Number)
  return { key: key ?? 0, rank: rank ?? 0 }
}

/** Goes on with what is older, session by session. @returns whether there may be more */
async function bySession(
  db: Kysely<Schema>,
  { terms, query, rank }: Wanted,
  { scope, limit, window }: TextSearch,
  { ranks, upTo, work }: { ranks: Map<number, number>; upTo: number; work: PartsWork },
): Promise<boolean> {
  const isMeant = sql<SqlBool>`e.id <= ${upTo} ${scope.events === undefined ? sql`` : sql`and ${scope.events}`}`
  const first = scope.isFailed ? { sessions: work.firstSessions } : { events: work.firstEvents }
  for await (const { sessions } of sessionGroups(db, scope.sessions, first)) {
    if (ranks.size >= limit) return true
    const events = scope.isFailed
      ? failedEvents(inKeys, sessions, isMeant)
      : sql`select e.id from conversation_events e where ${inKeys(sql.ref<number>('e.session_id'), sessions)} and ${isMeant}`
    const { rows } = await sql<{ id: number; rank: number }>`
      with meant as materialized (${events})
      select m.id, ${rank} as rank from meant m join event_text on event_id = m.id where ${hasWords(query(terms))}
       order by m.id desc limit ${window + 1}
    `.execute(db)
    for (const row of rows) ranks.set(Number(row.id), Number(row.rank))
  }
  return false
}
