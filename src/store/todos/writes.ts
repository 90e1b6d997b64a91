/** What people and agents decide about to-dos and links, written by programs. */
import { sql } from 'kysely'
import { AppError } from '../../domain/errors'
import type { IssueKey, SessionId, SessionKey, TodoId } from '../../domain/ids'
import { ISSUE_LINK_SOURCES } from '../../domain/session/session-issue'
import type { TodoTx } from '../../domain/todo/todo-store'
import { linksOf } from '../session/reads/session-issues'
import type { Driver, Program } from '../sql/program'
import { asInserted } from '../sql/row-statements'
import { statement } from '../sql/statement'
import { promotionOfTodo, promotionsToClose } from './promotions'
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
    promotion: (todo) => drive(promotionOfTodo(todo)),
    promotionsToClose: (limit) => drive(promotionsToClose(limit)),
    settle: (todo) => drive(settle(todo, now())),
    putTaker: (todo, taker) => drive(putTaker(todo, taker, now())),
    dropOld: (before, limit) => drive(dropOld(before, limit)),
  }
}

const KEY_OF = statement<{ session: SessionId }>()((db, param) =>
  db.selectFrom('sessions as s').select('s.id').where('s.native_id', '=', param('session')).orderBy('s.id').limit(1),
)

function* keyOf(session: SessionId): Program<SessionKey | undefined> {
  return (yield* KEY_OF.first({ session }))?.id
}

function* links<Key extends 'traces' | 'choices'>(session: SessionId, key: Key) {
  const found = (yield* linksOf([session], ISSUE_LINK_SOURCES)).get(session)
  return found?.[key] ?? []
}

interface Choice {
  session: SessionId
  issue: IssueKey
  isLinked: number
  at: number
  by: string
}
const PUT_CHOICE = statement<Choice>()((db, param) =>
  db
    .insertInto('session_issue_choices')
    .values({
      session_native_id: param('session'),
      issue_id: param('issue'),
      is_linked: param('isLinked'),
      at: param('at'),
      decided_by: param('by'),
    })
    .onConflict((conflict) =>
      conflict
        .columns(['session_native_id', 'issue_id'])
        .doUpdateSet(asInserted('session_issue_choices', ['is_linked', 'at', 'decided_by'])),
    ),
)

function* putChoice(
  session: SessionId,
  issue: IssueKey,
  { isLinked, by, at }: { isLinked: boolean; by: string; at: number },
): Program<void> {
  yield* PUT_CHOICE.run({ session, issue, isLinked: isLinked ? 1 : 0, at, by })
}

const PUT_VIEW = statement<{ session: SessionId; issue: IssueKey; now: number }>()((db, param) =>
  db
    .insertInto('session_issue_views')
    .values({ session_native_id: param('session'), issue_id: param('issue'), at: param('now') })
    .onConflict((conflict) =>
      conflict.columns(['session_native_id', 'issue_id']).doUpdateSet(asInserted('session_issue_views', ['at'])),
    ),
)

function* putView(session: SessionId, issue: IssueKey, now: number): Program<void> {
  yield* PUT_VIEW.run({ session, issue, now })
}

const LAST_CHANGE = statement<{ session: SessionId }>()((db, param) =>
  db
    .selectFrom('todos as t')
    .innerJoin('sessions as s', 's.id', 't.session_id')
    .select((eb) => eb.fn.max('t.updated_at').as('at'))
    .where('s.native_id', '=', param('session')),
)
const PUT_END = statement<{ session: SessionId; at: number }>()((db, param) =>
  db
    .insertInto('todo_ends')
    .values({ session_native_id: param('session'), at: param('at') })
    .onConflict((conflict) => conflict.column('session_native_id').doUpdateSet(asInserted('todo_ends', ['at']))),
)

/** Not before the last change, whatever the clocks of two machines say. */
function* putEnd(session: SessionId, now: number): Program<void> {
  const last = yield* LAST_CHANGE.first({ session })
  yield* PUT_END.run({ session, at: Math.max(now, last?.at ?? 0) })
}

const PROMOTE = statement<{ todo: TodoId; session: SessionId; issue: IssueKey; now: number }>()((db, param) =>
  db
    .insertInto('todo_promotions')
    .values({
      todo_id: param('todo'),
      session_native_id: param('session'),
      issue_id: param('issue'),
      at: param('now'),
    })
    .onConflict((conflict) => conflict.column('todo_id').doNothing()),
)

function* promote(todo: TodoId, session: SessionId, issue: IssueKey, now: number): Program<void> {
  const count = yield* PROMOTE.changed({ todo, session, issue, now })
  if (count === 0) throw new AppError('conflict', `${todo} is already promoted.`)
}

const SETTLE = statement<{ todo: TodoId; now: number }>()((db, param) =>
  db
    .updateTable('todo_promotions')
    .set({ settled_at: param('now') })
    .where('todo_id', '=', param('todo')),
)

function* settle(todo: TodoId, now: number): Program<void> {
  yield* SETTLE.run({ todo, now })
}

const PUT_TAKER = statement<{ todo: TodoId; taker: SessionId; now: number }>()((db, param) =>
  db
    .insertInto('todo_takers')
    .values({ todo_id: param('todo'), session_native_id: param('taker'), at: param('now') })
    .onConflict((conflict) =>
      conflict.column('todo_id').doUpdateSet(asInserted('todo_takers', ['session_native_id', 'at'])),
    ),
)

function* putTaker(todo: TodoId, taker: SessionId, now: number): Program<void> {
  yield* PUT_TAKER.run({ todo, taker, now })
}

const OLD = statement<{ before: number; limit: number }>()((db, param) =>
  db
    .selectFrom('sessions as s')
    .select('s.id')
    .where(sql<number>`coalesce(s.last_event_at, 0)`, '<', param('before'))
    .where(sql<number>`coalesce(s.activity_at, 0)`, '<', param('before'))
    .where((eb) => eb.exists(eb.selectFrom('todo_lists as l').select('l.id').whereRef('l.session_id', '=', 's.id')))
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('todos as t')
            .select('t.id')
            .whereRef('t.session_id', '=', 's.id')
            .where('t.updated_at', '>=', param('before')),
        ),
      ),
    )
    .orderBy(sql`coalesce(s.last_event_at, 0)`)
    .orderBy('s.id')
    .limit(param('limit')),
)
const DROP_TAKERS = statement<{ key: SessionKey }>()((db, param) =>
  db
    .deleteFrom('todo_takers')
    .where('todo_id', 'in', (eb) =>
      eb.selectFrom('todos as t').select('t.id').where('t.session_id', '=', param('key')),
    ),
)
const DROP_TODOS = statement<{ key: SessionKey }>()((db, param) =>
  db.deleteFrom('todos').where('session_id', '=', param('key')),
)
const DROP_LISTS = statement<{ key: SessionKey }>()((db, param) =>
  db.deleteFrom('todo_lists').where('session_id', '=', param('key')),
)

/** Lists go with their changes and items. */
function* dropOld(before: number, limit: number): Program<number> {
  const sessions = yield* OLD.rows({ before, limit })
  for (const { id: key } of sessions) {
    yield* DROP_TAKERS.run({ key })
    yield* DROP_TODOS.run({ key })
    yield* DROP_LISTS.run({ key })
  }
  return sessions.length
}

const forget = (
  table: 'todo_takers' | 'todo_promotions' | 'todo_ends' | 'session_issue_choices' | 'session_issue_views',
) =>
  statement<{ session: SessionId }>()((db, param) =>
    db.deleteFrom(table).where('session_native_id', '=', param('session')),
  )
const FORGET = [
  forget('todo_takers'),
  forget('todo_promotions'),
  forget('todo_ends'),
  forget('session_issue_choices'),
  forget('session_issue_views'),
]

/** Everything that is kept of a session by its native id. */
export function* forgetTodos(session: SessionId, key: SessionKey): Program<void> {
  yield* DROP_TAKERS.run({ key })
  for (const one of FORGET) yield* one.run({ session })
}
