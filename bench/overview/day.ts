import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { databasePath } from '../../src/app/threads/database'
import { startPostgres } from '../../test/postgres'
import type { Bench, Figure } from '../common/figure'
import { prepareHome, Server } from '../common/lode'
import { spread, timeEach } from '../common/measure'
import { copyToPostgres } from '../pages/copy-postgres'
import { fillRecord } from '../record/data/fill'
import { fillWork } from './fill-work'

const SESSIONS = 2_500
const EVENTS = 1_000_000
/** How many of them are on one day, with a fifth of all events. */
const ON_THE_DAY = 500
const ROUNDS = 20
const HOUR_MS = 3_600_000
/** How long each of them goes on. */
const LENGTH_MS = 3 * HOUR_MS
const DAY_MS = 24 * HOUR_MS
const LIMITS_MS = { day: 400, noon: 150, evening: 150 } as const
type Question = keyof typeof LIMITS_MS

const target = (database: string) =>
  `a day of 500 sessions and 200,000 events, in a record of 1 million on ${database}: when they were at work < 0.4 s, 40 of them as they were at a moment < 150 ms, over HTTP`

/** The replay of a whole day. */
export const dayFigure: Figure = {
  name: 'day',
  target: target('SQLite'),
  async measure({ lode, folder, note }) {
    const home = prepareHome(join(folder, 'h'))
    return await measureDay({ lode, home, begin: await fillDay(home, note), note })
  },
}

/** The same rows in PostgreSQL. */
export const dayPostgresFigure: Figure = {
  name: 'day-postgres',
  target: target('PostgreSQL'),
  async measure({ lode, folder, note }) {
    const home = prepareHome(join(folder, 'h'))
    const begin = await fillDay(home, note)
    const postgres = await startPostgres({ fsync: false })
    try {
      await copyToPostgres(home, postgres.url)
      note('copied')
      return await measureDay({ lode, home, begin, note, more: { LODELINE_DATABASE_URL: postgres.url } })
    } finally {
      await postgres.stop()
    }
  },
}

/** @returns when the day begins */
export async function fillDay(home: string, note: (text: string) => void): Promise<number> {
  await fillRecord(home, { sessions: SESSIONS, events: EVENTS })
  fillWork(home, { tasks: 1_000, projects: 40 })
  const begin = Math.floor(Date.now() / DAY_MS) * DAY_MS - 2 * DAY_MS
  note(`${squeeze(home, begin)} events on the day`)
  return begin
}

interface DayBench extends Pick<Bench, 'lode' | 'note'> {
  home: string
  begin: number
  /** Variables of the server's environment. */
  more?: Record<string, string>
}

export async function measureDay({ lode, home, begin, note, more = {} }: DayBench) {
  const server = await Server.start(lode, home, 'serve', more)
  const iso = (at: number) => new Date(at).toISOString()
  const scope = `since=${iso(begin)}&until=${iso(begin + DAY_MS)}`
  const paths: Record<Question, string> = {
    day: `/api/days?${scope}`,
    noon: `/api/days/moment?${scope}&at=${iso(begin + 12 * HOUR_MS)}`,
    evening: `/api/days/moment?${scope}&at=${iso(begin + 23 * HOUR_MS)}`,
  }
  try {
    const measured: Partial<Record<Question, ReturnType<typeof spread>>> = {}
    for (const question of Object.keys(LIMITS_MS) as Question[]) {
      const answer = await server.get<{ total: number; working?: number }>(paths[question])
      measured[question] = spread(await timeEach(ROUNDS, () => server.get<unknown>(paths[question])))
      note(
        `${question}: ${measured[question]?.p50Ms} ms, ${JSON.stringify(answer).length} bytes, ${answer.total} sessions, ${answer.working ?? '–'} at work`,
      )
    }
    const ok = (Object.keys(LIMITS_MS) as Question[]).every((one) => (measured[one]?.p50Ms ?? 0) < LIMITS_MS[one])
    return { ok, values: { limitsMs: LIMITS_MS, ...measured }, limit: {} }
  } finally {
    await server.stop()
  }
}

/** Puts the newest sessions on one day, one after the other and several at once. @returns how many events it has then */
function squeeze(home: string, begin: number): number {
  const db = new Database(databasePath(home))
  try {
    db.run('pragma synchronous = off')
    db.run(`create temp table moved as select session_id as id, min(at) as was, max(max(at) - min(at), 1) as length,
      ${begin} + (session_id % ${ON_THE_DAY}) * ${Math.floor((DAY_MS - LENGTH_MS) / ON_THE_DAY)} as begins
      from conversation_events group by session_id order by session_id desc limit ${ON_THE_DAY}`)
    db.run('create unique index temp.moved_id on moved (id)')
    // One line of twenty is a person's.
    db.run("update conversation_events set type = 'prompt' where type = 'text' and subagent_id is null and id % 5 = 0")
    const moved = (column: string, session: string) =>
      `(select cast(m.begins + (${column} - m.was) * ${LENGTH_MS} / m.length as integer) from moved m where m.id = ${session})`
    const columns = {
      conversation_events: ['at'],
      tool_uses: ['called_at', 'ended_at'],
      subagents: ['first_event_at', 'last_event_at', 'first_started_at', 'last_started_at', 'end_at'],
      subagent_runs: ['started_at', 'ended_at'],
      todos: ['created_at', 'updated_at'],
    }
    for (const [table, names] of Object.entries(columns))
      db.run(
        `update ${table} set ${names.map((name) => `${name} = ${moved(name, 'session_id')}`).join(', ')} where session_id in (select id from moved)`,
      )
    db.run(`update sessions set (started_at, last_event_at, activity_at, process_state) =
      (select m.begins, m.begins + ${LENGTH_MS}, m.begins + ${LENGTH_MS}, null from moved m where m.id = sessions.id)
      where id in (select id from moved)`)
    db.run(
      `update tool_uses set is_error = 1 where session_id in (select id from moved) and length(tool_use_id) % 7 = unicode(substr(tool_use_id, -1)) % 7`,
    )
    return (
      db
        .query<{ count: number }, []>(
          'select count(*) as count from conversation_events where session_id in (select id from moved)',
        )
        .get()?.count ?? 0
    )
  } finally {
    db.run('pragma wal_checkpoint(truncate)')
    db.close()
  }
}
