/** To-dos as they are shown, read by programs: with what people decided about them, and what has ended. */

import { type Kysely, sql } from 'kysely'
import { type AgentName, issueId, type SessionId, sessionId, subagentId, type TodoId, todoId } from '../../domain/ids'
import type { TodoStatus } from '../../domain/record/observation'
import { sessionStatus } from '../../domain/session/session-status'
import type { SessionSignals } from '../../domain/session/session-store'
import type { Todo } from '../../domain/todo/todo-item'
import { SIGNALS, type SignalColumns, signalsOf } from '../session/session-signals'
import { type Program, rows } from '../sql/program'
import { isoTime } from '../sql/read-context'
import { statement } from '../sql/statement'
import type { Schema } from '../sql/tables'
import { LISTS_OF } from './shared'

/** Parameters of one statement. */
const PARAMETERS_PER_STATEMENT = 500

/** What is known of whether a session's lists go on. Times in milliseconds. */
export interface ListedSession {
  key: number
  id: SessionId
  title: string | null
  agent: AgentName
  startedAt: number | null
  signals: SessionSignals
  /** When an item of its lists last changed. */
  syncedAt: number | null
  /** When somebody said that the lists have ended. */
  endSaidAt: number | null
  leftOut: number
}

interface SessionRow extends SignalColumns {
  key: number
  id: string
  title: string | null
  agent: string
  started_at: number | null
  synced_at: number | null
  end_said_at: number | null
  left_out: number | null
}

export const LISTED = `s.id as "key", s.native_id as id, s.title as title, s.agent as agent, s.started_at as started_at,
  ${SIGNALS},
  (select max(t.updated_at) from todos t where t.session_id = s.id) as synced_at,
  (select e.at from todo_ends e where e.session_native_id = s.native_id) as end_said_at,
  (select sum(l.left_out) from todo_lists l where l.session_id = s.id) as left_out`

const time = (at: number | null): number | null => (at === null ? null : Number(at))

export function listed(row: SessionRow): ListedSession {
  const syncedAt = time(row.synced_at)
  // If a session's list was handed over, nothing else may be known of it: its changes are its signs of life.
  const signals = signalsOf(row)
  const isSilent = row.last_event_at === null && row.activity_at === null
  return {
    key: Number(row.key),
    id: sessionId(row.id),
    title: row.title,
    agent: row.agent as AgentName,
    startedAt: time(row.started_at),
    signals: isSilent ? { ...signals, lastEventAt: syncedAt } : signals,
    syncedAt,
    endSaidAt: time(row.end_said_at),
    leftOut: Number(row.left_out ?? 0),
  }
}
export type ListedRow = SessionRow

export function isOver(session: ListedSession, now: number): boolean {
  const { status } = sessionStatus(session.signals, now)
  return status === 'ended' || status === 'lost'
}

/** Since when a session's lists have ended; `null` = they go on. Somebody's word counts until the next change. */
export function endedAt(session: ListedSession, now: number): number | null {
  const { endSaidAt, syncedAt, signals } = session
  if (endSaidAt !== null && endSaidAt >= (syncedAt ?? 0)) return endSaidAt
  return isOver(session, now) ? (signals.endedAt ?? signals.lastEventAt ?? signals.activityAt ?? now) : null
}

/** Sessions by their native id. Text: the columns that show life are those of hooks. */
export function* listedSessions(ids: readonly SessionId[]): Program<Map<SessionId, ListedSession>> {
  const found = new Map<SessionId, ListedSession>()
  for (let at = 0; at < ids.length; at += PARAMETERS_PER_STATEMENT) {
    const some = ids.slice(at, at + PARAMETERS_PER_STATEMENT)
    const all = yield* rows<SessionRow>(
      `select ${LISTED} from sessions s where s.native_id in (${some.map(() => '?').join(', ')})`,
      ...some,
    )
    for (const row of all) found.set(sessionId(row.id), listed(row))
  }
  return found
}

interface TodoRow {
  id: string
  list_id: number
  list_name: string
  native_list: string | null
  session: string
  subagent: string | null
  native_id: string | null
  ordinal: number
  content: string
  active_form: string | null
  description: string | null
  owner: string | null
  blocked_by: string
  status: TodoStatus
  created_at: number | null
  updated_at: number | null
  completed_at: number | null
  changed_session: string | null
  changed_subagent: string | null
  promoted_to: string | null
  is_promoted_done: number | null
  promoted_done_at: number | null
  taken_by: string | null
}

/**
 * For `todos t`, by session, list and place in the list.
 *
 * @param meant  which to-dos: behind so many joins, PostgreSQL would ask for them last
 */
const todoRows = (db: Kysely<Schema>, meant = allOf(db)) =>
  db
    .selectFrom(meant.as('t'))
    .innerJoin('todo_lists as l', 'l.id', 't.list_id')
    .innerJoin('sessions as s', 's.id', 't.session_id')
    .leftJoin('subagents as a', 'a.id', 't.subagent_id')
    .leftJoin('sessions as cs', 'cs.id', 't.changed_session_id')
    .leftJoin('subagents as ca', 'ca.id', 't.changed_subagent_id')
    .leftJoin('todo_promotions as p', 'p.todo_id', 't.id')
    .leftJoin('issues as i', (join) => join.onRef('i.id', '=', 'p.issue_id').on('i.is_deleted', '=', 0))
    .leftJoin('todo_takers as k', 'k.todo_id', 't.id')
    .select([
      't.id',
      't.list_id',
      'l.name as list_name',
      'l.native_list',
      's.native_id as session',
      'a.native_id as subagent',
      't.native_id',
      't.ordinal',
      't.content',
      't.active_form',
      't.description',
      't.owner',
      't.blocked_by',
      't.status',
      't.created_at',
      't.updated_at',
      't.completed_at',
      'cs.native_id as changed_session',
      'ca.native_id as changed_subagent',
      'i.public_id as promoted_to',
      sql<number>`case when i.category = 'done' then 1 else 0 end`.as('is_promoted_done'),
      'i.closed_at as promoted_done_at',
      'k.session_native_id as taken_by',
    ])
    .orderBy('t.session_id')
    .orderBy('t.list_id')
    .orderBy('t.ordinal')
    .orderBy('t.id')
const allOf = (db: Kysely<Schema>) => db.selectFrom('todos').selectAll()

const ALL = statement()((db) => todoRows(db))
const ALL_LEFT = statement()((db) => todoRows(db, allOf(db).where('status', '!=', 'removed')))
const BY_ID = statement<{ id: TodoId }>()((db, param) => todoRows(db, allOf(db).where('id', '=', param('id'))))
const ofSession = ({ withRemoved, withTaken }: { withRemoved: boolean; withTaken: boolean }) =>
  statement<{ session: SessionId }>()((db, param) => {
    const [before, between, after] = LISTS_OF.split('?')
    const lists = sql<number>`(${sql.raw(before ?? '')}${param('session')}${sql.raw(between ?? '')}${param('session')}${sql.raw(after ?? '')})`
    const taken = db.selectFrom('todo_takers').select('todo_id').where('session_native_id', '=', param('session'))
    const meant = allOf(db)
      .where((eb) => eb.or([eb('list_id', 'in', lists), ...(withTaken ? [eb('id', 'in', taken)] : [])]))
      .$if(!withRemoved, (query) => query.where('status', '!=', 'removed'))
    return todoRows(db, meant)
  })
const OF_SESSION = {
  whole: ofSession({ withRemoved: true, withTaken: true }),
  own: ofSession({ withRemoved: true, withTaken: false }),
  left: ofSession({ withRemoved: false, withTaken: true }),
  ownLeft: ofSession({ withRemoved: false, withTaken: false }),
}

/** Rows of `todos` with what they are shown with. */
function* shownTodos(all: readonly TodoRow[], now: number): Program<Todo[]> {
  const shared = yield* sharers([...new Set(all.map(({ native_list }) => native_list))])
  const ids = new Set<SessionId>()
  for (const { session, taken_by } of all) {
    ids.add(sessionId(session))
    if (taken_by !== null) ids.add(sessionId(taken_by))
  }
  for (const session of shared.values()) for (const id of session) ids.add(id)
  const sessions = yield* listedSessions([...ids])
  const isGone = (id: SessionId): boolean => {
    const session = sessions.get(id)
    return session === undefined || isOver(session, now)
  }
  const hasEnded = new Map<string, boolean>()
  const ended = ({ session, native_list }: TodoRow): boolean => {
    const key = JSON.stringify([session, native_list])
    const known = hasEnded.get(key)
    if (known !== undefined) return known
    const own = sessions.get(sessionId(session))
    const said = own !== undefined && own.endSaidAt !== null && own.endSaidAt >= (own.syncedAt ?? 0)
    const others = native_list === null ? [] : (shared.get(native_list) ?? [])
    const answer = said || (isGone(sessionId(session)) && others.every(isGone))
    hasEnded.set(key, answer)
    return answer
  }
  return all.map((row) => {
    const taker = row.taken_by === null ? null : sessionId(row.taken_by)
    return toTodo(row, ended(row) && (taker === null || isGone(taker)))
  })
}

const SHARERS = statement<{ list: string }>()((db, param) =>
  db
    .selectFrom('todo_lists as l')
    .innerJoin('sessions as s', 's.id', 'l.session_id')
    .select('s.native_id as id')
    .where('l.native_list', '=', param('list')),
)

/** Sessions that share a list, by the list's own id. */
function* sharers(lists: readonly (string | null)[]): Program<Map<string, SessionId[]>> {
  const found = new Map<string, SessionId[]>()
  for (const list of lists) {
    if (list === null) continue
    const all = yield* SHARERS.rows({ list })
    found.set(
      list,
      all.map(({ id }) => id),
    )
  }
  return found
}

function toTodo(row: TodoRow, hasEnded: boolean): Todo {
  const isDone = Number(row.is_promoted_done) !== 0 && (row.status === 'pending' || row.status === 'in_progress')
  const status = isDone ? 'completed' : row.status
  return {
    id: todoId(row.id),
    listId: row.list_name,
    sessionId: sessionId(row.session),
    subagentId: row.subagent === null ? null : subagentId(row.subagent),
    nativeId: row.native_id,
    ordinal: Number(row.ordinal),
    content: row.content,
    activeForm: row.active_form,
    description: row.description,
    owner: row.owner,
    blockedBy: JSON.parse(row.blocked_by) as string[],
    status,
    createdAt: isoTime(time(row.created_at)),
    updatedAt: isoTime(time(row.updated_at)),
    completedAt: isoTime(time(isDone ? row.promoted_done_at : row.completed_at)),
    completedBy: isDone ? 'issue' : status === 'completed' ? 'agent' : null,
    changedBy:
      row.changed_session === null
        ? null
        : {
            sessionId: sessionId(row.changed_session),
            subagentId: row.changed_subagent === null ? null : subagentId(row.changed_subagent),
          },
    leftOpen: hasEnded && (status === 'pending' || status === 'in_progress'),
    promotedTo: row.promoted_to === null ? null : issueId(row.promoted_to),
    takenBy: row.taken_by === null ? null : sessionId(row.taken_by),
  }
}

/** Every to-do there is. */
export function* allTodos(withRemoved: boolean, now: number): Program<Todo[]> {
  return yield* shownTodos(yield* (withRemoved ? ALL : ALL_LEFT).rows(), now)
}

/**
 * The to-dos of a session, with those of lists that it shares.
 * @param withTaken  and what it took over from others
 */
export function* todosOf(
  session: SessionId,
  { withRemoved, withTaken = false }: { withRemoved: boolean; withTaken?: boolean },
  now: number,
): Program<Todo[]> {
  const [taken, own] = withRemoved ? (['whole', 'own'] as const) : (['left', 'ownLeft'] as const)
  return yield* shownTodos(yield* OF_SESSION[withTaken ? taken : own].rows({ session }), now)
}

export function* findTodo(id: TodoId, now: number): Program<Todo | undefined> {
  return (yield* shownTodos(yield* BY_ID.rows({ id }), now))[0]
}

const HISTORY = statement<{ id: TodoId }>()((db, param) =>
  db.selectFrom('todos').select('history').where('id', '=', param('id')),
)

/** The history as it is stored; `undefined` = no such to-do. */
export function* todoHistory(id: TodoId): Program<string | undefined> {
  return (yield* HISTORY.first({ id }))?.history
}

/** Ids that begin so, at most `limit`. */
export function* matchTodos(prefix: string, limit: number): Program<TodoId[]> {
  const found = yield* rows<{ id: string }>(
    `select id from todos where substr(id, 1, ${[...prefix].length}) = ? order by id limit ${limit}`,
    prefix,
  )
  return found.map(({ id }) => todoId(id))
}
