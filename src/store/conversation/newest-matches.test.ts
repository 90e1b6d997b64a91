import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { type SqlBool, sql } from 'kysely'
import type { Schema } from '../sql/tables'
import { kyselyOverSqlite } from '../sqlite/kysely-sqlite'
import { SqliteConnection } from '../sqlite/sqlite-connection'
import { inKeys } from '../sqlite/sqlite-search'
import { newestMatches } from './newest-matches'

interface Event {
  session: number
  hasWord: boolean
  isWanted: boolean
}

const SESSIONS = 6

/** Tables with what the search reads of them; event n has the key n + 1. */
function record(events: readonly Event[]) {
  const raw = new Database(':memory:')
  raw.run('create table sessions (id integer primary key, event_count integer, last_event_at integer)')
  raw.run('create table conversation_events (id integer primary key, session_id integer, type text)')
  raw.run(`create virtual table event_text using fts5(text, output, content='', contentless_delete=1)`)
  for (let id = 1; id <= SESSIONS; id++) {
    const keys = events.flatMap(({ session }, at) => (session === id ? [at] : []))
    raw.run('insert into sessions values (?, ?, ?)', [id, keys.length, keys.at(-1) ?? null])
  }
  events.forEach(({ session, hasWord, isWanted }, at) => {
    raw.run('insert into conversation_events values (?, ?, ?)', [at + 1, session, isWanted ? 'text' : 'prompt'])
    raw.run('insert into event_text (rowid, text) values (?, ?)', [at + 1, hasWord ? 'anchor' : 'rope'])
  })
  return raw
}

test('whatever is looked at first, each match in the scope is found once, or enough of them and the answer says so', async () => {
  const event = fc.record({
    session: fc.integer({ min: 1, max: SESSIONS }),
    hasWord: fc.boolean(),
    isWanted: fc.boolean(),
  })
  const given = fc.record({
    events: fc.array(event, { maxLength: 60 }),
    wanted: fc.uniqueArray(fc.integer({ min: 1, max: SESSIONS })),
    ofSessions: fc.boolean(),
    ofEvents: fc.boolean(),
    limit: fc.integer({ min: 1, max: 8 }),
    window: fc.integer({ min: 8, max: 40 }),
    firstRound: fc.integer({ min: 1, max: 10 }),
    manyMatches: fc.integer({ min: 1, max: 20 }),
    roundEvents: fc.integer({ min: 1, max: 20 }),
  })
  await fc.assert(
    fc.asyncProperty(given, async ({ events, wanted, ofSessions, ofEvents, limit, window, ...work }) => {
      using raw = record(events)
      const db = kyselyOverSqlite<Schema>(new SqliteConnection(':memory:', raw))
      const index = { key: sql.ref<number>('rowid'), isMatch: sql<SqlBool>`event_text match 'anchor'`, inKeys }
      const scope = {
        sessions: ofSessions
          ? sql<SqlBool>`s.id in (select value from json_each(${JSON.stringify(wanted)}))`
          : undefined,
        events: ofEvents ? sql<SqlBool>`e.type = 'text'` : undefined,
        isFailed: false,
      }
      const found = await newestMatches(db, index, { session: undefined, scope, limit, window }, work)
      const all = events
        .flatMap((one, at) =>
          one.hasWord && (!ofSessions || wanted.includes(one.session)) && (!ofEvents || one.isWanted) ? [at + 1] : [],
        )
        .toReversed()
      expect(found.keys.length).toBe(new Set(found.keys).size)
      expect(found.keys.every((key) => all.includes(key))).toBe(true)
      expect(found.keys).toEqual(found.keys.toSorted((a, b) => b - a))
      expect(found.keys.length).toBeLessThanOrEqual(window)
      if (!found.isTruncated) expect(found.keys).toEqual(all)
      else expect(found.keys.length).toBeGreaterThanOrEqual(Math.min(limit, all.length))
    }),
    { numRuns: 400 },
  )
})
