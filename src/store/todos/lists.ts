/** Sessions with their to-dos and the issues that they are for, read by programs. */

import type { SessionId } from '../../domain/ids'
import type { LinkedIssue, SessionTodos, ShownEvidence } from '../../domain/session/session-issue'
import { LONGEST_SILENCE_MS, sessionStatus } from '../../domain/session/session-status'
import type { Todo, TodoProgress } from '../../domain/todo/todo-item'
import type { TodoListFilter, TodoView } from '../../domain/todo/todo-store'
import { type LinkedBrief, linksOf, onlyIssueSeen } from '../session/reads/session-issues'
import { type Program, rows, type Value } from '../sql/program'
import { isoTime } from '../sql/read-context'
import { endedAt, isOver, LISTED, type ListedRow, type ListedSession, listed, listedSessions, todosOf } from './rows'

/** Sessions that are read at once while a page is filled. */
const SESSIONS_PER_READ = 200

/** The place in the order of lists after which a page begins. */
export interface ListPlace {
  syncedAt: number
  key: number
}

/** One more than `limit` when there are more. */
export function* sessionsWithLists(
  filter: TodoListFilter,
  after: ListPlace | null,
  limit: number,
  now: number,
): Program<ListedSession[]> {
  const found: ListedSession[] = []
  const step = filter.isActive === undefined ? limit + 1 : SESSIONS_PER_READ
  for (let place = after; ; ) {
    const some = yield* nextSessions(filter, place, step, now)
    for (const session of some)
      if (filter.isActive === undefined || isOver(session, now) !== filter.isActive) found.push(session)
    const last = some.at(-1)
    if (last === undefined || some.length < step || found.length > limit) return found.slice(0, limit + 1)
    place = { syncedAt: last.syncedAt ?? 0, key: last.key }
  }
}

function* nextSessions(
  filter: TodoListFilter,
  after: ListPlace | null,
  count: number,
  now: number,
): Program<ListedSession[]> {
  const conditions: string[] = []
  const params: Value[] = []
  const add = (condition: string, ...values: Value[]): void => {
    conditions.push(condition)
    params.push(...values)
  }
  if (filter.sessions !== undefined)
    add(`s.native_id in (${filter.sessions.map(() => '?').join(', ') || 'null'})`, ...filter.sessions)
  if (filter.project !== undefined) add('s.project_id in (select id from projects where root = ?)', filter.project)
  if (filter.agent !== undefined) add('s.agent = ?', filter.agent)
  if (filter.isActive === true) {
    const since = now - LONGEST_SILENCE_MS
    add(
      `(s.process_state = 'alive' or s.last_event_at > ? or s.activity_at > ? or s.file_grew_at > ? or s.last_event_at is null)`,
      since,
      since,
      since,
    )
  }
  if (after !== null)
    add(
      '(coalesce(x.synced, 0) < ? or (coalesce(x.synced, 0) = ? and s.id < ?))',
      after.syncedAt,
      after.syncedAt,
      after.key,
    )
  const all = yield* rows<ListedRow>(
    // First the order, then what is shown of the few that come.
    `select ${LISTED} from (
        select s.id as id, coalesce(x.synced, 0) as synced
          from (select session_id, max(updated_at) as synced from todos group by session_id) x
          join sessions s on s.id = x.session_id ${conditions.length > 0 ? `where ${conditions.join(' and ')}` : ''}
          order by coalesce(x.synced, 0) desc, s.id desc limit ${count}) y
      join sessions s on s.id = y.id order by y.synced desc, s.id desc`,
    ...params,
  )
  return all.map(listed)
}

/** One session's to-dos with its work, recorded or not. */
export function* sessionTodos(id: SessionId, { now, linkFrom }: TodoView, withRemoved: boolean): Program<SessionTodos> {
  const session = (yield* listedSessions([id])).get(id)
  const issues = (yield* linksOf([id], linkFrom)).get(id)?.issues ?? []
  const seen = issues.length > 0 ? undefined : yield* onlyIssueSeen(id)
  const todos = yield* todosOf(id, { withRemoved, withTaken: true }, now)
  const ended = session === undefined ? null : endedAt(session, now)
  return {
    sessionId: id,
    title: session?.title ?? null,
    agent: session?.agent ?? null,
    status: null,
    statusEvidence: null,
    ...(session !== undefined && sessionStatus(session.signals, now)),
    issues: issues.map(shownLink),
    suggestion: seen === undefined ? null : { id: seen.id, title: seen.title },
    startedAt: isoTime(session?.startedAt ?? null),
    lastEventAt: isoTime(session?.signals.lastEventAt ?? null),
    lastSyncAt: isoTime(session?.syncedAt ?? null),
    endedAt: isoTime(ended),
    leftOutCount: session?.leftOut ?? 0,
    progress: progressOf(todos),
    todos,
  }
}

const shownLink = ({ id, title, status, evidence }: LinkedBrief): LinkedIssue => ({
  id,
  title,
  status,
  evidence: shownEvidence(evidence),
})

export const shownEvidence = (evidence: LinkedBrief['evidence']): ShownEvidence[] =>
  evidence.map((one) => ({ ...one, at: isoTime(one.at) }))

export function progressOf(todos: readonly Pick<Todo, 'status'>[]): TodoProgress {
  const count = (status: Todo['status']): number => todos.filter((todo) => todo.status === status).length
  return {
    completed: count('completed'),
    inProgress: count('in_progress'),
    total: todos.length - count('removed'),
  }
}
