import { afterAll, beforeAll, expect, test } from 'bun:test'
import { SQL } from 'bun'
import fc from 'fast-check'
import { type SqlBool, sql } from 'kysely'
import { kyselyOverPostgres } from '../../../src/store/postgres/kysely-postgres'
import { newestPostgresMatches } from '../../../src/store/postgres/search/postgres-matches'
import type { Schema } from '../../../src/store/sql/tables'
import type { SearchTerm } from '../../../src/store/sql/words/search-words'
import { type TestDatabase, testDatabase } from '../../postgres'

const SESSIONS = 5

let database: TestDatabase
let raw: SQL
beforeAll(async () => {
  database = await testDatabase({ isEmpty: true })
  raw = new SQL(database.url, { max: 1 })
  // What the search reads of them.
  await raw`create table sessions (id bigint primary key, event_count bigint, last_event_at bigint)`
  await raw`create table conversation_events (id bigint primary key, session_id bigint, type text, tool_use_id text)`
  await raw`create table tool_uses (session_id bigint, tool_use_id text, is_error bigint)`
  await raw`create table event_text (event_id bigint primary key, session_id bigint, words tsvector)`
})
afterAll(async () => {
  await raw?.end()
  await database?.drop()
})

test('however large the parts are, each match in the scope is found once, or enough of them and the answer says so', async () => {
  const event = fc.record({
    session: fc.integer({ min: 1, max: SESSIONS }),
    text: fc.constantFrom('anchor', 'rope', 'anchor rope', 'anchors'),
    isWanted: fc.boolean(),
  })
  const given = fc.record({
    events: fc.array(event, { maxLength: 40 }),
    wanted: fc.uniqueArray(fc.integer({ min: 1, max: SESSIONS })),
    ofSessions: fc.boolean(),
    isFailed: fc.boolean(),
    isBegun: fc.boolean(),
    limit: fc.integer({ min: 1, max: 6 }),
    window: fc.integer({ min: 6, max: 30 }),
    eventsOfPart: fc.integer({ min: 1, max: 12 }),
    firstParts: fc.integer({ min: 1, max: 3 }),
    mostParts: fc.integer({ min: 1, max: 4 }),
    manyMatches: fc.integer({ min: 0, max: 20 }),
    fewMatches: fc.integer({ min: 0, max: 20 }),
    tellingMatches: fc.integer({ min: 0, max: 4 }),
    someParts: fc.integer({ min: 0, max: 3 }),
    firstSessions: fc.integer({ min: 1, max: 3 }),
    firstEvents: fc.integer({ min: 1, max: 10 }),
  })
  const db = kyselyOverPostgres<Schema>({
    async execute(text: string, values: readonly unknown[]) {
      const rows = await raw.unsafe(text, [...values])
      return { rows, count: rows.length }
    },
  } as Parameters<typeof kyselyOverPostgres>[0])
  await fc.assert(
    fc.asyncProperty(given, async ({ events, wanted, ofSessions, isFailed, isBegun, limit, window, ...work }) => {
      await raw`truncate sessions, conversation_events, tool_uses, event_text`
      const rows = events.map((one, at) => ({ ...one, key: at + 1, failed: one.isWanted ? 1 : 0 }))
      const json = JSON.stringify(rows)
      await raw`insert into sessions select n, 3, n from generate_series(1, ${SESSIONS}::int) n`
      await raw`insert into conversation_events select key, session, 'tool_result', key::text
          from json_to_recordset(${json}::text::json) as r(key bigint, session bigint)`
      await raw`insert into tool_uses select session, key::text, failed
          from json_to_recordset(${json}::text::json) as r(key bigint, session bigint, failed bigint)`
      await raw`insert into event_text select key, session, to_tsvector('simple', text)
          from json_to_recordset(${json}::text::json) as r(key bigint, session bigint, text text)`
      const scope = {
        sessions: ofSessions ? sql<SqlBool>`s.id = any(${`{${wanted.join(',')}}`}::text::bigint[])` : undefined,
        events: isFailed
          ? sql<SqlBool>`(select is_error from tool_uses u where u.session_id = e.session_id and u.tool_use_id = e.tool_use_id) = 1`
          : undefined,
        isFailed,
      }
      const query = () => sql`to_tsquery('simple', ${isBegun ? 'anchor:*' : 'anchor'})`
      const asked = {
        terms: [{ words: ['anchor'], typed: ['anchor'], match: isBegun ? 'prefix' : 'word' } satisfies SearchTerm],
        query,
        rank: sql<number>`ts_rank(words, ${query()})`,
      }
      const found = await newestPostgresMatches(db, asked, { session: undefined, scope, limit, window }, work)
      const all = rows
        .filter(({ text }) => /\banchor\b/.test(text) || (isBegun && text === 'anchors'))
        .filter(({ session, isWanted }) => (!ofSessions || wanted.includes(session)) && (!isFailed || isWanted))
        .map(({ key }) => key)
        .toReversed()
      const keys = found.matches.map(({ key }) => key)
      expect(keys).toEqual([...new Set(keys)].toSorted((a, b) => b - a))
      expect(keys.every((key) => all.includes(key))).toBe(true)
      expect(keys.length).toBeLessThanOrEqual(window)
      if (!found.isTruncated) expect(keys).toEqual(all)
      else expect(keys.length).toBeGreaterThanOrEqual(Math.min(limit, all.length))
      if (!ofSessions && !isFailed) expect(keys).toEqual(all.slice(0, window))
    }),
    { numRuns: 120 },
  )
})
