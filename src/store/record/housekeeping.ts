import type { FeedKind } from '../../domain/feed'
import type { AgentName, SessionKey } from '../../domain/ids'
import { first, insert, type Program, rows, run } from '../sql/program'

export function* host(now: number, name: string, hostname: string): Program<number> {
  const found = yield* first<{ id: number }>('select id from hosts where name = ?', name)
  if (found) return found.id
  const id = yield* insert(
    'insert into hosts (name, hostname, created_at, last_seen_at) values (?, ?, ?, ?) on conflict (name) do nothing',
    name,
    hostname,
    now,
    now,
  )
  return id ?? (yield* host(now, name, hostname))
}

export function* project(
  now: number,
  hostKey: number,
  root: string,
  remote: string | null,
  name: string,
): Program<number> {
  const found = yield* first<{ id: number }>('select id from projects where host_id = ? and root = ?', hostKey, root)
  if (found) return found.id
  const id = yield* insert(
    'insert into projects (host_id, root, remote, name, created_at) values (?, ?, ?, ?, ?) on conflict (host_id, root) do nothing',
    hostKey,
    root,
    remote,
    name,
    now,
  )
  return id ?? (yield* project(now, hostKey, root, remote, name))
}

/** Kinds that are looked up in one statement. */
const KINDS_AT_ONCE = 20

export function* countKinds(
  now: number,
  lock: string,
  kinds: {
    agent: AgentName
    journalKind: string
    name: string
    isKnown: boolean
    count: number
    version: string | null
  }[],
): Program<void> {
  for (let from = 0; from < kinds.length; from += KINDS_AT_ONCE) {
    const part = kinds.slice(from, from + KINDS_AT_ONCE)
    const known = yield* rows<{ agent: string; journal_kind: string; name: string; version: string | null }>(
      `select agent, journal_kind, name, version from record_kinds
        where ${part.map(() => '(agent = ? and journal_kind = ? and name = ?)').join(' or ')} order by agent, journal_kind, name${lock}`,
      ...part.flatMap(({ agent, journalKind, name }) => [agent, journalKind, name]),
    )
    const versions = new Map(known.map((kind) => [nameOf({ ...kind, journalKind: kind.journal_kind }), kind.version]))
    for (const kind of part)
      yield* run(
        `insert into record_kinds (agent, journal_kind, name, is_known, count, version, last_seen_at) values (?, ?, ?, ?, ?, ?, ?)
       on conflict (agent, journal_kind, name) do update set count = record_kinds.count + excluded.count,
         is_known = excluded.is_known, last_seen_at = excluded.last_seen_at, version = excluded.version`,
        kind.agent,
        kind.journalKind,
        kind.name,
        Number(kind.isKnown),
        kind.count,
        newerVersion(versions.get(nameOf(kind)) ?? null, kind.version),
        now,
      )
  }
}

const nameOf = (kind: { agent: string; journalKind: string; name: string }): string =>
  `${kind.agent} ${kind.journalKind} ${kind.name}`

/** The higher of two versions such as `2.1.328`: files come in any order. */
function newerVersion(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b
  return a.localeCompare(b, 'en', { numeric: true }) >= 0 ? a : b
}

export function* appendFeed(
  now: number,
  entries: { kind: FeedKind; sessionKey: SessionKey | null; sessionNativeId: string | null; data: string }[],
): Program<void> {
  for (const entry of entries)
    yield* run(
      'insert into feed (at, kind, session_id, session_native_id, data) values (?, ?, ?, ?, ?)',
      now,
      entry.kind,
      entry.sessionKey,
      entry.sessionNativeId,
      entry.data,
    )
}

/** Tables that journals can be read into again, in an order that no reference forbids. */
export const PROJECTIONS = [
  'todos',
  'todo_changes',
  'todo_lists',
  'todo_files',
  'session_mentions',
  'session_files',
  'session_products',
  'request_merges',
  'message_lines',
  'usage_hours',
  'usage_tasks',
  'usage_sessions',
  'usage_totals',
  'usage_messages',
  'tool_uses',
  'conversation_events',
  'subagent_marks',
  'subagent_runs',
  'subagents',
  'malformed_lines',
  'secret_marks',
  'session_anchors',
  'record_kinds',
]

/** Sessions keep their row (journals name it) and lose what was derived. */
export function* clearProjections(clearText: string): Program<void> {
  yield* run(clearText)
  for (const table of PROJECTIONS) yield* run(`delete from ${table}`)
  yield* run(
    `update sessions set title = null, title_rank = 0, title_at = null, model = null, model_at = null, cwd = null,
       agent_version = null, git_branch = null, place_at = null, resumed_from = null, forked_from = null, fork_evidence = null,
       translated_from = null,
       started_at = null, last_event_at = null, activity = null, activity_at = null, activity_evidence = null, ended_at = null,
       end_reason = null, root_uuid = null, fork_point = null, fork_point_at = null, event_count = 0, tool_call_count = 0,
       subagent_count = 0, compaction_count = 0, malformed_count = 0, project_id = null,
       error_count = 0, file_count = 0, token_count = 0, cost_usd = 0, is_cost_estimate = 0, last_text = null, last_text_at = null`,
  )
  yield* run('update incarnations set parsed = 0, own_from_at = null, carry = null, malformed_count = 0')
}
