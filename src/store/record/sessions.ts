import type { AgentName, ProjectKey, SessionKey } from '../../domain/ids'
import { address, sessionKey } from '../../domain/ids'
import type { SessionRow } from '../../domain/record/record-store'
import { putAlias } from '../messages/addresses'
import { first, insert, type Program, run } from '../sql/program'
import { moveToProject } from './usage-hours'

/** Finds or creates the session and, on PostgreSQL, locks it: units on one session run one after another. */
export function* session(
  now: number,
  lock: string,
  agent: AgentName,
  nativeId: string,
  hostKey: number,
): Program<{ key: SessionKey; isNew: boolean } | undefined> {
  const found = yield* first<{ id: number }>(
    `select id from sessions where agent = ? and native_id = ?${lock}`,
    agent,
    nativeId,
  )
  if (found) return { key: sessionKey(found.id), isNew: false }
  const grave = yield* first('select 1 as x from tombstones where kind = ? and value = ?', 'session', nativeId)
  if (grave) return undefined
  const id = yield* insert(
    'insert into sessions (agent, native_id, host_id, created_at) values (?, ?, ?, ?) on conflict (agent, native_id) do nothing',
    agent,
    nativeId,
    hostKey,
    now,
  )
  if (id === null) return yield* session(now, lock, agent, nativeId, hostKey)
  return { key: sessionKey(id), isNew: true }
}

export function* setSessionProject(key: SessionKey, project: ProjectKey): Program<void> {
  yield* moveToProject(key, project)
  yield* run('update sessions set project_id = ? where id = ? and project_id is null', project, key)
}

interface StoredFacts {
  title: string | null
  title_rank: number
  title_at: number | null
  model: string | null
  model_at: number | null
  cwd: string | null
  git_branch: string | null
  agent_version: string | null
  place_at: number | null
  started_at: number | null
  last_event_at: number | null
  activity: string | null
  activity_at: number | null
  activity_evidence: string | null
  ended_at: number | null
  end_reason: string | null
  resumed_from: string | null
  forked_from: string | null
  fork_evidence: string | null
  translated_from: string | null
  cleared_from: string | null
  root_uuid: Uint8Array | null
  fork_point: Uint8Array | null
  fork_point_at: number | null
  file_grew_at: number | null
  live_at: number | null
  last_text: string | null
  last_text_at: number | null
}

const FACTS: (keyof StoredFacts)[] = [
  'title',
  'title_rank',
  'title_at',
  'model',
  'model_at',
  'cwd',
  'git_branch',
  'agent_version',
  'place_at',
  'started_at',
  'last_event_at',
  'activity',
  'activity_at',
  'activity_evidence',
  'ended_at',
  'end_reason',
  'resumed_from',
  'forked_from',
  'fork_evidence',
  'translated_from',
  'cleared_from',
  'root_uuid',
  'fork_point',
  'fork_point_at',
  'file_grew_at',
  'live_at',
  'last_text',
  'last_text_at',
]

const SELECT = `select ${FACTS.join(', ')} from sessions where id = ?`
const UPDATE = `update sessions set ${FACTS.map((name) => `${name} = ?`).join(', ')},
  event_count = event_count + ?, compaction_count = compaction_count + ?, malformed_count = malformed_count + ? where id = ?`

/**
 * Selects the task, if any, whose attempt began a conversation of its own (anew or as a copy) under a session's id.
 *
 * @param jsonText  a text field of a column that holds JSON
 */
export function taskThatBegan(jsonText: (column: string, key: string) => string): string {
  const own = jsonText('a.conversation', 'sessionId')
  const before = jsonText('a.conversation', 'resumedSessionId')
  return `select t.title from sessions s join attempts a on ${own} = s.native_id join tasks t on t.id = a.task_id
    where s.id = ? and (${before} is null or ${before} <> ${own}) order by a.id limit 1`
}

/** @param begunBy  statement of `taskThatBegan` */
export function* mergeSession(begunBy: string, row: SessionRow): Program<void> {
  const stored = yield* first<StoredFacts>(SELECT, row.sessionKey)
  if (!stored) return
  const next = merged(stored, row)
  if (next.title_rank === 1 && next.title !== stored.title) {
    // The first words of a task's conversation say how to work; what it is about, its task's title says. No later words are older.
    const task = yield* first<{ title: string }>(begunBy, row.sessionKey)
    if (task !== undefined) Object.assign(next, { title: task.title, title_at: 0 })
  }
  yield* run(
    UPDATE,
    ...FACTS.map((name) => next[name]),
    row.eventCount,
    row.compactionCount,
    row.malformedCount,
    row.sessionKey,
  )
  if (next.cleared_from !== stored.cleared_from || next.resumed_from !== stored.resumed_from)
    yield* followAddress(row.sessionKey, next, row.origin?.at ?? 0)
  const anchors = stored.root_uuid === null && next.root_uuid ? [next.root_uuid, ...row.anchors] : row.anchors
  for (const anchor of anchors)
    yield* run(
      'insert into session_anchors (uuid, session_id) values (?, ?) on conflict (uuid, session_id) do nothing',
      anchor,
      row.sessionKey,
    )
}

/** The sessions that go on from a conversation are at its address. */
function* followAddress(key: SessionKey, { cleared_from, resumed_from }: StoredFacts, at: number): Program<void> {
  const session = yield* first<{ native_id: string }>('select native_id from sessions where id = ?', key)
  const from = cleared_from ?? resumed_from
  if (!session || from === null) return
  const evidence = cleared_from === null ? 'resumed under this id' : 'cleared in the same process of the CLI'
  yield* putAlias(session.native_id, address(from), evidence, at)
}

/** The rules of `SessionRow`. Equal times are broken by the larger text, so that the order of arrival doesn't matter. */
function merged(old: StoredFacts, row: SessionRow): StoredFacts {
  const next: StoredFacts = { ...old }
  next.started_at = least(old.started_at, row.startedAt)
  next.last_event_at = greatest(old.last_event_at, row.lastEventAt)
  next.file_grew_at = greatest(old.file_grew_at, row.fileGrewAt)
  next.live_at = greatest(old.live_at, row.liveAt)
  const { place, model, title, activity, lastWords } = row
  if (place && isNewer(place.at, place.cwd ?? '', old.place_at, old.cwd ?? '')) {
    next.cwd = place.cwd ?? old.cwd
    next.git_branch = place.gitBranch ?? old.git_branch
    next.agent_version = place.agentVersion ?? old.agent_version
    next.place_at = place.at
  }
  if (model && isNewer(model.at, model.name, old.model_at, old.model ?? '')) {
    next.model = model.name
    next.model_at = model.at
  }
  if (lastWords && isNewer(lastWords.at, lastWords.text, old.last_text_at, old.last_text ?? '')) {
    next.last_text = lastWords.text
    next.last_text_at = lastWords.at
  }
  if (title && beatsTitle(title, old)) {
    next.title = title.text
    next.title_rank = title.rank
    next.title_at = title.at
  }
  if (activity && isNewer(activity.at, activity.evidence, old.activity_at, old.activity_evidence ?? '')) {
    next.activity = activity.state
    next.activity_at = activity.at
    next.activity_evidence = activity.evidence
    next.ended_at = activity.state === 'ended' ? activity.at : null
    next.end_reason = activity.state === 'ended' ? activity.reason : null
  }
  const { origin } = row
  next.resumed_from ??= row.resumedFrom ?? (origin?.how === 'resumed' ? origin.id : null)
  if (origin?.how === 'cleared') next.cleared_from ??= origin.id
  if (row.forkedFrom && next.forked_from === null) {
    next.forked_from = row.forkedFrom.id
    next.fork_evidence = row.forkedFrom.evidence
  }
  next.translated_from ??= row.translatedFrom
  next.root_uuid ??= row.rootUuid
  if (row.forkPoint && (old.fork_point_at === null || row.forkPoint.at >= old.fork_point_at)) {
    next.fork_point = row.forkPoint.uuid
    next.fork_point_at = row.forkPoint.at
  }
  return next
}

function beatsTitle(title: { text: string; rank: number; at: number }, old: StoredFacts): boolean {
  if (title.rank !== old.title_rank) return title.rank > old.title_rank
  if (old.title_at === null) return true
  return title.rank === 1
    ? isNewer(old.title_at, old.title ?? '', title.at, title.text)
    : isNewer(title.at, title.text, old.title_at, old.title ?? '')
}

function isNewer(at: number, text: string, oldAt: number | null, oldText: string): boolean {
  return oldAt === null || at > oldAt || (at === oldAt && text > oldText)
}

const least = (a: number | null, b: number | null): number | null => (a === null ? b : b === null ? a : Math.min(a, b))
const greatest = (a: number | null, b: number | null): number | null =>
  a === null ? b : b === null ? a : Math.max(a, b)
