/** What people and agents decide about to-dos and links, written by programs. */
import { AppError } from '../../domain/errors'
import {
  type IssueKey,
  issueId,
  issueKey,
  type SessionId,
  type SessionKey,
  sessionId,
  sessionKey,
  type TodoId,
  todoId,
  trackerKey,
} from '../../domain/ids'
import { ISSUE_LINK_SOURCES } from '../../domain/session/session-issue'
import type { TodoPromotion, TodoTx } from '../../domain/todo/todo-store'
import { linksOf } from '../session/reads/session-issues'
import { type Driver, first, type Program, rows, run } from '../sql/program'
import { findTodo, todosOf } from './rows'

/** The to-dos' port over one connection. @param now  the unit's time in milliseconds */
export function createTodoTx(driver: Driver, now: () => number): TodoTx {
  const drive = <T>(program: Program<T>) => driver.drive(program)
  return {
    find: (id) => drive(findTodo(id, now())),
    ofSession: (session) => drive(todosOf(session, { withRemoved: true }, now())),
    sessionKey: (session) => drive(keyOf(session)),
    traces: (session) => drive(links(session, 'traces')),
    choices: (session) => drive(links(session, 'choices')),
    putChoice: (session, issue, choice) => drive(putChoice(session, issue, { at: now(), ...choice })),
    putView: (session, issue) => drive(putView(session, issue, now())),
    putEnd: (session) => drive(putEnd(session, now())),
    promote: (todo, session, issue) => drive(promote(todo, session, issue, now())),
    promotion: (todo) => drive(promotion(todo)),
    promotionsToClose: (limit) => drive(promotionsToClose(limit)),
    settle: (todo) => drive(settle(todo, now())),
    putTaker: (todo, taker) => drive(putTaker(todo, taker, now())),
    dropOld: (before, limit) => drive(dropOld(before, limit)),
  }
}

function* keyOf(session: SessionId): Program<SessionKey | undefined> {
  const found = yield* first<{ id: number }>('select id from sessions where native_id = ? order by id limit 1', session)
  return found && sessionKey(Number(found.id))
}

function* links<Key extends 'traces' | 'choices'>(session: SessionId, key: Key) {
  const found = (yield* linksOf([session], ISSUE_LINK_SOURCES)).get(session)
  return found?.[key] ?? []
}

function* putChoice(
  session: SessionId,
  issue: IssueKey,
  { isLinked, by, at }: { isLinked: boolean; by: string; at: number },
): Program<void> {
  yield* run(
    `insert into session_issue_choices (session_native_id, issue_id, is_linked, at, decided_by) values (?, ?, ?, ?, ?)
      on conflict (session_native_id, issue_id) do update set is_linked = excluded.is_linked, at = excluded.at,
        decided_by = excluded.decided_by`,
    session,
    issue,
    isLinked ? 1 : 0,
    at,
    by,
  )
}

function* putView(session: SessionId, issue: IssueKey, now: number): Program<void> {
  yield* run(
    `insert into session_issue_views (session_native_id, issue_id, at) values (?, ?, ?)
      on conflict (session_native_id, issue_id) do update set at = excluded.at`,
    session,
    issue,
    now,
  )
}

/** Not before the last change, whatever the clocks of two machines say. */
function* putEnd(session: SessionId, now: number): Program<void> {
  const last = yield* first<{ at: number | null }>(
    'select max(t.updated_at) as at from todos t join sessions s on s.id = t.session_id where s.native_id = ?',
    session,
  )
  yield* run(
    `insert into todo_ends (session_native_id, at) values (?, ?)
      on conflict (session_native_id) do update set at = excluded.at`,
    session,
    Math.max(now, Number(last?.at ?? 0)),
  )
}

function* promote(todo: TodoId, session: SessionId, issue: IssueKey, now: number): Program<void> {
  const count = yield* run(
    `insert into todo_promotions (todo_id, session_native_id, issue_id, at) values (?, ?, ?, ?)
      on conflict (todo_id) do nothing`,
    todo,
    session,
    issue,
    now,
  )
  if (count === 0) throw new AppError('conflict', `${todo} was promoted already`)
}

interface PromotionRow {
  todo: string
  session: string
  key: number
  tracker: number
  issue: string
  at: number
}

const PROMOTION = `select p.todo_id as todo, p.session_native_id as session, p.issue_id as "key", i.tracker_id as tracker,
    i.public_id as issue, p.at as at
  from todo_promotions p join issues i on i.id = p.issue_id`

const toPromotion = (row: PromotionRow): TodoPromotion => ({
  todoId: todoId(row.todo),
  sessionId: sessionId(row.session),
  issueKey: issueKey(Number(row.key)),
  tracker: trackerKey(Number(row.tracker)),
  issueId: issueId(row.issue),
  at: Number(row.at),
})

function* promotion(todo: TodoId): Program<TodoPromotion | undefined> {
  const row = yield* first<PromotionRow & Record<string, never>>(
    `${PROMOTION} where p.todo_id = ? and i.is_deleted = 0`,
    todo,
  )
  return row && toPromotion(row)
}

/** Along the index of promotions that are not settled: those whose to-do is open are few. */
export function* promotionsToClose(limit: number): Program<TodoPromotion[]> {
  const found = yield* rows<PromotionRow>(
    // As a join, SQLite would look through all that is completed first.
    `${PROMOTION} where p.settled_at is null
      and exists (select 1 from todos t where t.id = p.todo_id and t.status = 'completed')
      order by p.at, p.todo_id limit ${limit}`,
  )
  return found.map(toPromotion)
}

function* settle(todo: TodoId, now: number): Program<void> {
  yield* run('update todo_promotions set settled_at = ? where todo_id = ?', now, todo)
}

function* putTaker(todo: TodoId, taker: SessionId, now: number): Program<void> {
  yield* run(
    `insert into todo_takers (todo_id, session_native_id, at) values (?, ?, ?)
      on conflict (todo_id) do update set session_native_id = excluded.session_native_id, at = excluded.at`,
    todo,
    taker,
    now,
  )
}

/** Lists go with their changes and items. */
function* dropOld(before: number, limit: number): Program<number> {
  const sessions = yield* rows<{ id: number }>(
    `select s.id as id from sessions s where coalesce(s.last_event_at, 0) < ? and coalesce(s.activity_at, 0) < ?
        and exists (select 1 from todo_lists l where l.session_id = s.id)
        and not exists (select 1 from todos t where t.session_id = s.id and t.updated_at >= ?)
      order by coalesce(s.last_event_at, 0), s.id limit ${limit}`,
    before,
    before,
    before,
  )
  for (const { id } of sessions) {
    yield* run('delete from todo_takers where todo_id in (select id from todos where session_id = ?)', id)
    yield* run('delete from todos where session_id = ?', id)
    yield* run('delete from todo_lists where session_id = ?', id)
  }
  return sessions.length
}

/** Everything that is kept of a session by its native id. */
export function* forgetTodos(session: SessionId, key: number): Program<void> {
  yield* run('delete from todo_takers where todo_id in (select id from todos where session_id = ?)', key)
  yield* run('delete from todo_takers where session_native_id = ?', session)
  yield* run('delete from todo_promotions where session_native_id = ?', session)
  yield* run('delete from todo_ends where session_native_id = ?', session)
  yield* run('delete from session_issue_choices where session_native_id = ?', session)
  yield* run('delete from session_issue_views where session_native_id = ?', session)
}
