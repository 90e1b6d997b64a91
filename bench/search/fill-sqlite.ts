import { Database } from 'bun:sqlite'
import { hostIdentity } from '../../src/app/files/home'
import { databasePath, openDatabase } from '../../src/app/threads/database'
import { type MadeEvent, type MadeSession, type SearchRows, storedText } from './rows'

/** Sessions of one transaction. */
const SESSIONS = 100

/** Fills a new database of SQLite, as the recorder would have left it without the bytes of journals. */
export async function fillSqlite(home: string, rows: SearchRows): Promise<void> {
  await (await openDatabase({ home, databaseUrl: null }, { mode: 'read-write', migrate: true })).close()
  const db = new Database(databasePath(home))
  try {
    for (const name of ['synchronous = off', 'cache_size = -400000', 'foreign_keys = off']) db.run(`pragma ${name}`)
    const { name, hostname } = hostIdentity(home)
    db.query('insert into hosts (id, name, hostname, created_at, last_seen_at) values (1, ?, ?, 1, 1)').run(
      name,
      hostname,
    )
    for (let key = 1; key <= rows.size.projects; key++)
      db.query('insert into projects (id, host_id, root, name, created_at) values (?, 1, ?, ?, 1)').run(
        key,
        `/home/user/project-${key}`,
        `project-${key}`,
      )
    db.run('begin')
    for (const { session, events } of rows.sessions()) {
      addSession(db, session)
      for (const event of events) addEvent(db, event)
      if (session.key % SESSIONS !== 0) continue
      db.run('commit')
      db.run('begin')
    }
    db.run('commit')
  } finally {
    db.run('pragma wal_checkpoint(truncate)')
    db.close()
  }
}

function addSession(db: Database, session: MadeSession): void {
  const { key, uuid, agent, project, title, startedAt, endedAt, events } = session
  db.query(
    `insert into sessions (id, agent, native_id, host_id, project_id, cwd, title, title_rank, title_at, started_at, last_event_at,
       event_count, created_at)
     values (?, ?, ?, 1, ?, ?, ?, 1, ?, ?, ?, ?, ?)`,
  ).run(
    key,
    agent,
    uuid,
    project,
    `/home/user/project-${project}`,
    title,
    startedAt,
    startedAt,
    endedAt,
    events,
    startedAt,
  )
  db.query(
    `insert into journals (id, host_id, agent, kind, path, session_id, created_at) values (?, 1, ?, 'transcript', ?, ?, ?)`,
  ).run(key, agent, `/nowhere/${uuid}.jsonl`, key, startedAt)
  db.query(
    `insert into incarnations (id, journal_id, number, inode, size, parsed, opened_at, grew_at) values (?, ?, 1, 1, 0, 0, ?, ?)`,
  ).run(key, key, startedAt, endedAt)
}

function addEvent(db: Database, event: MadeEvent): void {
  const { key, session, at, type, call, tool, isError, text } = event
  const isOutput = type === 'tool_result'
  db.query(
    `insert into conversation_events (id, session_id, uuid, at, type, role, tool_use_id, tool_name, text, flags, incarnation_id,
       "offset", length)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, 3700)`,
  ).run(
    ...[key, session, crypto.getRandomValues(Buffer.allocUnsafe(16)), at, type],
    ...[isOutput || type === 'prompt' ? 'user' : 'assistant', call, type === 'tool_call' ? tool : null],
    ...[storedText(event), session, (key % 1_000) * 3_700],
  )
  db.query('insert into event_text (rowid, text, output) values (?, ?, ?)').run(
    ...[key, isOutput ? null : text, isOutput ? text : null],
  )
  if (type === 'tool_call')
    db.query(
      `insert into tool_uses (session_id, tool_use_id, name, called_at, ended_at, is_error) values (?, ?, ?, ?, ?, ?)`,
    ).run(session, call, tool, at, at, isError ? 1 : 0)
}
