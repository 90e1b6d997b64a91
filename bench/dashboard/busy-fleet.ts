import { Database } from 'bun:sqlite'
import { databasePath } from '../../src/app/threads/database'
import { Random } from '../common/random'
import { fillRecord } from '../record/data/fill'

const MINUTE_MS = 60_000
const MODEL = 'claude-sonnet-4-5-20250929'

export interface BusyFleet {
  sessions: number
  machines: number
}

/** A record in which this many sessions work on machines of others, each with the lines, messages and to-dos of its last hour. */
export async function fillBusyFleet(home: string, { sessions, machines }: BusyFleet): Promise<void> {
  await fillRecord(home, { sessions: 2 * sessions, events: 40 * sessions })
  const db = new Database(databasePath(home))
  const [random, now] = [new Random(41), Date.now()]
  try {
    db.run('pragma synchronous = off')
    db.run('pragma foreign_keys = off')
    db.run('begin')
    const hosts = Array.from({ length: machines }, (_, at) =>
      Number(
        db
          .query('insert into hosts (name, hostname, created_at, last_seen_at) values (?, ?, 1, ?)')
          .run(`machine-${at}`, `machine-${at}`, now).lastInsertRowid,
      ),
    )
    const live = db
      .query<{ id: number; incarnation: number }, [number]>(
        `select s.id, i.id as incarnation from sessions s join journals j on j.session_id = s.id
           join incarnations i on i.journal_id = j.id order by s.id desc limit ?`,
      )
      .all(sessions)
    live.forEach(({ id, incarnation }, at) => {
      const startedAt = now - (10 + (at % 80)) * MINUTE_MS
      const state = at % 12 === 3 ? 'waiting' : at % 9 === 5 ? 'idle' : 'working'
      // One in seventeen said nothing for so long that it counts as stuck.
      const lastAt = now - (at % 17 === 7 ? 20 * MINUTE_MS : 500 * (at % 60))
      db.query(
        `update sessions set host_id = ?, title = ?, started_at = ?, activity = ?, activity_at = ?, last_event_at = ?, live_at = ?,
           process_state = 'alive', process_at = ?, process_id = id, process_host_id = ? where id = ?`,
      ).run(
        hosts[at % machines] ?? 1,
        `Mend the ${random.pick(['parser', 'chart', 'feed', 'import', 'login'])} of part ${at}`,
        startedAt,
        state,
        lastAt,
        lastAt,
        now,
        now,
        hosts[at % machines] ?? 1,
        id,
      )
      fillHour(db, { id, incarnation, from: Math.max(startedAt, now - 60 * MINUTE_MS), to: lastAt, random })
      fillPlan(db, id, at)
    })
    db.run('commit')
    db.run('pragma wal_checkpoint(truncate)')
  } finally {
    db.close()
  }
}

interface Hour {
  id: number
  incarnation: number
  from: number
  to: number
  random: Random
}

/** Bursts of lines with silence between them. */
function fillHour(db: Database, { id, incarnation, from, to, random }: Hour): void {
  const line = db.query(
    `insert into conversation_events (session_id, uuid, at, type, role, text, flags, incarnation_id, "offset", length)
     values (?, ?, ?, 'text', 'assistant', 'words', 0, ?, ?, 100)`,
  )
  const message = db.query(
    `insert into usage_messages (session_id, message_id, subagent_id, model, input, output, cache_read, cache_creation, cache_creation_1h,
       web_searches, at) values (?, ?, 0, '${MODEL}', 400, 300, 9000, 500, 0, 0, ?)`,
  )
  let number = 0
  for (let at = from; at < to; at += 1_000 + 240_000 * random.next() ** 6, number++) {
    line.run(id, crypto.getRandomValues(Buffer.allocUnsafe(16)), Math.floor(at), incarnation, 1e6 + number)
    if (number % 4 === 0) message.run(id, `msg_${id}_${number}`, Math.floor(at))
  }
}

function fillPlan(db: Database, session: number, at: number): void {
  const { lastInsertRowid: list } = db
    .query(`insert into todo_lists (session_id, name) values (?, 'todo')`)
    .run(session)
  for (let item = 0; item < 6; item++)
    db.query(
      `insert into todos (id, list_id, session_id, ordinal, content, blocked_by, status) values (?, ?, ?, ?, ?, '[]', ?)`,
    ).run(
      `todo-${session}-${item}`,
      list,
      session,
      item,
      `step ${item} of the plan`,
      item < at % 6 ? 'completed' : item === at % 6 ? 'in_progress' : 'pending',
    )
}
