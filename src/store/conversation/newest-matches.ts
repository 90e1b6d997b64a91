/** Which events have all words of a search and lie in its scope, the newest first. */
import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { ReadCapabilities, TextSearch } from '../sql/read-context'
import type { Schema } from '../sql/tables'
import { ofEvent } from './search-scope'

/** How much is looked at, and when. */
export interface SearchWork {
  /** Matches that are looked at before a full page of hits is enough: each costs half a microsecond to two. */
  firstRound: number
  /** So many matches are left: it is quicker to look through sessions than through them. */
  manyMatches: number
  /** Events of the sessions that are looked at next. */
  roundEvents: number
}

const WORK: SearchWork = { firstRound: 4_000, manyMatches: 24_000, roundEvents: 16_000 }
/** Sessions' events this near to each other are looked at together. */
const NEAR = 200

/** Keys of events, the greatest first. */
export interface NewestMatches {
  keys: number[]
  /** There are more, or may be. */
  isTruncated: boolean
}

/** How a database asks its text index, `event_text`. */
export interface TextIndex {
  /** The column with the event's key. */
  key: RawBuilder<number>
  /** Whether a row of the index has all words of the search. */
  isMatch: RawBuilder<SqlBool>
  inKeys: ReadCapabilities['inKeys']
}

/**
 * The newest matches, at most `search.window`.
 *
 * Where the scope leaves few of many matches it stops earlier, with at least `search.limit`, or with all of them. It looks at the newest
 * matches first; if that finds too few, at the sessions of the scope, those that went on last first.
 */
export async function newestMatches(
  db: Kysely<Schema>,
  index: TextIndex,
  search: TextSearch,
  work = WORK,
): Promise<NewestMatches> {
  const matches = new Matches(db, index, search)
  if (search.session !== undefined) await matches.ofSessions([search.session])
  else if (ofEvent(search.scope) === undefined) await matches.between(0, null)
  else await inRounds(db, matches, search, work)
  return matches.found()
}

async function inRounds(
  db: Kysely<Schema>,
  matches: Matches,
  { scope: { sessions } }: TextSearch,
  work: SearchWork,
): Promise<void> {
  let upTo: number | null = null
  for (let size = work.firstRound; ; size *= 2) {
    const floor = await matches.nth(size, upTo)
    await matches.between(floor ?? 0, upTo)
    if (floor === null) return
    if (matches.isEnough()) return matches.stop()
    upTo = floor - 1
    if (sessions !== undefined && (await matches.nth(work.manyMatches, upTo)) !== null)
      return await bySession(db, matches, { sessions, upTo, roundEvents: work.roundEvents })
  }
}

/** Goes on with what is older than the newest matches, session by session. */
async function bySession(
  db: Kysely<Schema>,
  matches: Matches,
  { sessions: condition, upTo, roundEvents }: { sessions: RawBuilder<SqlBool>; upTo: number; roundEvents: number },
): Promise<void> {
  const { rows } = await sql<{ id: number; event_count: number }>`
    select s.id, s.event_count from sessions s where ${condition} order by s.last_event_at desc
  `.execute(db)
  let sessions: number[] = []
  let events = 0
  for (const [at, { id, event_count }] of rows.entries()) {
    sessions.push(id)
    events += event_count
    if (events < roundEvents && at < rows.length - 1) continue
    await matches.ofSessions(sessions, upTo)
    if (at < rows.length - 1 && matches.isEnough()) return matches.stop()
    sessions = []
    events = 0
  }
}

class Matches {
  private readonly db: Kysely<Schema>
  private readonly index: TextIndex
  private readonly search: TextSearch
  private readonly inScope: RawBuilder<unknown>
  /** A set: sessions that went on at the same time lie in the same ranges of keys. */
  private readonly keys = new Set<number>()
  private hasMore = false

  constructor(db: Kysely<Schema>, index: TextIndex, search: TextSearch) {
    this.db = db
    this.index = index
    this.search = search
    const { session } = search
    const asked = ofEvent(search.scope)
    this.inScope =
      session === undefined && asked === undefined
        ? sql``
        : // As a value, so that PostgreSQL makes no join of it and looks at matches one by one.
          sql`and (select ${session === undefined ? sql`true` : sql`e.session_id = ${session}`} ${asked === undefined ? sql`` : sql`and ${asked}`}
                from conversation_events e where e.id = event_text.${index.key})`
  }

  /** Adds the newest between two keys; without `upTo` all from the first one on. */
  async between(from: number, upTo: number | null): Promise<void> {
    const { key, isMatch } = this.index
    const { rows } = await sql<{ key: number }>`
      select ${key} as key from event_text where ${isMatch} and ${key} >= ${from} ${this.below(upTo)} ${this.inScope}
       order by ${key} desc limit ${this.search.window + 1}
    `.execute(this.db)
    for (const row of rows) this.keys.add(row.key)
  }

  /** The same, of what these sessions wrote. */
  async ofSessions(sessions: readonly number[], upTo: number | null = null): Promise<void> {
    const { rows } = await sql<{ first: number; last: number }>`
      select min(id) as first, max(id) as last from conversation_events
       where ${this.index.inKeys(sql.ref<number>('session_id'), sessions)} group by session_id
    `.execute(this.db)
    for (const { first, last } of together(rows)) {
      if (upTo === null || first <= upTo) await this.between(first, Math.min(last, upTo ?? last))
    }
  }

  /** The key of the nth match, in whatever scope; `null` if there are not this many. */
  async nth(n: number, upTo: number | null): Promise<number | null> {
    const { key, isMatch } = this.index
    const { rows } = await sql<{ key: number }>`
      select ${key} as key from event_text where ${isMatch} ${this.below(upTo)} order by ${key} desc limit 1 offset ${n - 1}
    `.execute(this.db)
    return rows[0]?.key ?? null
  }

  private below(upTo: number | null): RawBuilder<unknown> {
    return upTo === null ? sql`` : sql`and ${this.index.key} <= ${upTo}`
  }

  isEnough(): boolean {
    return this.keys.size >= this.search.limit
  }

  /** There may be more, which nobody looks for. */
  stop(): void {
    this.hasMore = true
  }

  found(): NewestMatches {
    const { window } = this.search
    const keys = [...this.keys].sort((a, b) => b - a).slice(0, window)
    return { keys, isTruncated: this.hasMore || this.keys.size > window }
  }
}

/** Ranges with those that lie near them, the greatest first. */
function together(ranges: readonly { first: number; last: number }[]): { first: number; last: number }[] {
  const merged: { first: number; last: number }[] = []
  for (const { first, last } of ranges.toSorted((a, b) => b.last - a.last)) {
    const before = merged.at(-1)
    if (before !== undefined && last >= before.first - NEAR) before.first = Math.min(before.first, first)
    else merged.push({ first, last })
  }
  return merged
}
