/** To-dos that became issues, read as text: a command without a server asks for them first and would compile them in its own process, 1.3 ms. */
import { issueId, issueKey, sessionId, type TodoId, todoId, trackerKey } from '../../domain/ids'
import type { TodoPromotion } from '../../domain/todo/todo-store'
import { first, type Program, rows } from '../sql/program'

interface Row {
  todo: string
  session: string
  key: number
  tracker: number
  issue: string
  at: number
}

const PROMOTIONS = `select p.todo_id as todo, p.session_native_id as session, p.issue_id as "key", i.tracker_id as tracker,
    i.public_id as issue, p.at as at
  from todo_promotions p join issues i on i.id = p.issue_id`

const promotionOf = ({ todo, session, key, tracker, issue, at }: Row): TodoPromotion => ({
  todoId: todoId(todo),
  sessionId: sessionId(session),
  issueKey: issueKey(Number(key)),
  tracker: trackerKey(Number(tracker)),
  issueId: issueId(issue),
  at: Number(at),
})

/** The issue of this to-do, where it still exists. */
export function* promotionOfTodo(todo: TodoId): Program<TodoPromotion | undefined> {
  const found = yield* first<Row>(`${PROMOTIONS} where p.todo_id = ? and i.is_deleted = 0`, todo)
  return found && promotionOf(found)
}

/**
 * Those that are not settled and whose to-do was completed, along the index of promotions that are not settled: those whose to-do is open
 * are few. As a join, SQLite would look through all that is completed first.
 */
export function* promotionsToClose(limit: number): Program<TodoPromotion[]> {
  const found = yield* rows<Row>(
    `${PROMOTIONS} where p.settled_at is null
        and exists (select 1 from todos t where t.id = p.todo_id and t.status = 'completed')
      order by p.at, p.todo_id limit ?`,
    limit,
  )
  return found.map(promotionOf)
}
