import { SQL } from 'bun'
import { openDatabase } from '../../src/app/threads/database'
import { stemOf, wordsOf } from '../../src/store/sql/words/search-words'
import { type MadeEvent, type SearchRows, storedText } from './rows'

/** Sessions of one statement. */
const SESSIONS = 10

/** Fills a new database of PostgreSQL with the same rows. `home`: an empty folder. */
export async function fillPostgres(home: string, url: string, rows: SearchRows): Promise<void> {
  await (await openDatabase({ home, databaseUrl: url }, { mode: 'read-write', migrate: true })).close()
  const sql = new SQL(url, { max: 1 })
  const wordsOfText = stemmed()
  try {
    await sql`insert into hosts (id, name, hostname, created_at, last_seen_at) values (1, 'bench', 'bench', 1, 1)`
    await sql`insert into projects (id, host_id, root, name, created_at)
      select n, 1, '/home/user/project-' || n, 'project-' || n, 1 from generate_series(1, ${rows.size.projects}::int) n`
    let open: ReturnType<typeof emptyBatch> = emptyBatch()
    for (const { session, events } of rows.sessions()) {
      open.sessions.push({ ...session, cwd: `/home/user/project-${session.project}` })
      for (const event of events) open.events.push(eventRow(event, wordsOfText))
      if (open.sessions.length < SESSIONS && session.key < rows.size.sessions) continue
      await write(sql, open)
      open = emptyBatch()
    }
    await sql`analyze`
    await sql`vacuum`
  } finally {
    await sql.end()
  }
}

const emptyBatch = () => ({ sessions: [] as object[], events: [] as ReturnType<typeof eventRow>[] })

function eventRow(event: MadeEvent, wordsOfText: (text: string) => string) {
  const { key, session, at, type, call, tool, isError, text } = event
  return {
    key,
    session,
    at,
    type,
    call,
    tool,
    is_error: isError ? 1 : 0,
    stored: storedText(event),
    words: wordsOfText(text),
  }
}

async function write(sql: SQL, { sessions, events }: ReturnType<typeof emptyBatch>): Promise<void> {
  await sql`insert into sessions (id, agent, native_id, host_id, project_id, cwd, title, title_rank, title_at, started_at,
      last_event_at, event_count, created_at)
    select key, agent, uuid, 1, project, cwd, title, 1, "startedAt", "startedAt", "endedAt", events, "startedAt"
      from json_to_recordset(${JSON.stringify(sessions)}::text::json) as r(key bigint, agent text, uuid text, project bigint,
        cwd text, title text, "startedAt" bigint, "endedAt" bigint, events bigint)`
  await sql`insert into journals (id, host_id, agent, kind, path, session_id, created_at)
    select key, 1, agent, 'transcript', '/nowhere/' || uuid, key, 1
      from json_to_recordset(${JSON.stringify(sessions)}::text::json) as r(key bigint, agent text, uuid text)`
  await sql`insert into incarnations (id, journal_id, number, inode, size, parsed, opened_at, grew_at)
    select key, key, 1, 1, 0, 0, 1, 1
      from json_to_recordset(${JSON.stringify(sessions)}::text::json) as r(key bigint)`
  const given = JSON.stringify(events)
  await sql`with r as (select * from json_to_recordset(${given}::text::json) as r(key bigint, session bigint, at bigint, type text,
      call text, tool text, is_error bigint, stored text, words text)),
    e as (insert into conversation_events (id, session_id, uuid, at, type, role, tool_use_id, tool_name, text, flags,
        incarnation_id, "offset", length)
      select key, session, decode(md5(key::text), 'hex'), at, type, 'user', call,
          case when type = 'tool_call' then tool end, stored, 0, session, (key % 1000) * 3700, 3700 from r),
    u as (insert into tool_uses (session_id, tool_use_id, name, called_at, ended_at, is_error)
      select session, call, tool, at, at, is_error from r where type = 'tool_call')
    select 1`
  await sql`insert into event_text (event_id, session_id, words)
    select key, session, setweight(to_tsvector('simple', words), (case when type = 'tool_result' then 'D' else 'A' end)::"char")
      from json_to_recordset(${given}::text::json) as r(key bigint, session bigint, type text, words text)`
}

/** The words of a text by their stems, as the recorder sends them. Words come again and again. */
function stemmed(): (text: string) => string {
  const stems = new Map<string, string>()
  const stem = (word: string): string => {
    const known = stems.get(word) ?? stemOf(word)
    stems.set(word, known)
    return known
  }
  return (text) => wordsOf(text).map(stem).join(' ')
}
