/** To-dos for recalls: with what became of them beside the agent's own list. */
import { type IssueId, issueId, type SessionId, sessionId } from '../../domain/ids'
import type { RecalledTodo } from '../../domain/recall/recall'
import type { TodoStatus } from '../../domain/record/observation'
import { first, type Program, rows } from '../sql/program'
import { LISTS_OF } from '../todos/shared'

/** Rows that are read at most: more would not fit into any text. */
const MAX_ROWS = 200

interface TodoRow {
  content: string
  status: TodoStatus
  promoted_to: string | null
  is_over: number | null
  taken_by: string | null
}

/** TodoWrite keeps one list for each agent; numbered items are one list that all agents of the session share, and some sessions. */
const SHARED = '(t.subagent_id is null or t.native_id is not null)'
const COLUMNS = 't.content, t.status, i.public_id as promoted_to, i.is_over, k.session_native_id as taken_by'
const BESIDE = `left join todo_promotions p on p.todo_id = t.id left join issues i on i.id = p.issue_id and i.is_deleted = 0
  left join todo_takers k on k.todo_id = t.id`

const OWN = `select ${COLUMNS} from todos t ${BESIDE} where t.list_id in (${LISTS_OF}) and t.status <> 'removed' and ${SHARED}
  order by t.list_id, t.ordinal, t.id limit ?`

const TAKEN = `select ${COLUMNS}, s.native_id as taken_from from todo_takers k join todos t on t.id = k.todo_id
  join sessions s on s.id = t.session_id left join todo_promotions p on p.todo_id = t.id
  left join issues i on i.id = p.issue_id and i.is_deleted = 0
  where k.session_native_id = ? and t.status <> 'removed' order by k.at, t.list_id, t.ordinal, t.id limit ?`

/** The session's own, then what it took over from others. */
export function* todosOf(id: SessionId): Program<RecalledTodo[]> {
  const own = yield* rows<TodoRow>(OWN, id, id, MAX_ROWS)
  const taken = yield* rows<TodoRow & { taken_from: string }>(TAKEN, id, MAX_ROWS)
  return [
    ...own.map((row) => toTodo(row, id)),
    ...taken
      .filter(({ taken_from: from }) => from !== id)
      .map((row) => ({ ...toTodo(row, id), takenFrom: sessionId(row.taken_from) })),
  ]
}

const OF_SUBAGENT = `select ${COLUMNS} from todos t ${BESIDE} where t.subagent_id = ? and t.status <> 'removed'
  order by t.list_id, t.ordinal, t.id limit ?`

/** A sub-agent's own, by its key. */
export function* todosOfSubagent(key: number, session: SessionId): Program<RecalledTodo[]> {
  return (yield* rows<TodoRow>(OF_SUBAGENT, key, MAX_ROWS)).map((row) => toTodo(row, session))
}

/** What is open, with the beginning of the sentence in common: nobody else took it. */
const OPEN = `from todos t ${BESIDE} left join todo_ends e on e.session_native_id = ?
  where t.session_id = ? and t.status in ('pending', 'in_progress') and ${SHARED} and coalesce(i.is_over, 0) = 0
    and (k.session_native_id is null or k.session_native_id = ?)`
/** Not in a list that this session has as its own: it stands there already. */
const IS_APART = `not exists (select 1 from todo_lists l join todo_lists m on m.native_list = l.native_list
  join sessions o on o.id = m.session_id where l.id = t.list_id and o.native_id = ?)`
/** Somebody said that the list ended, and the item did not change since. */
const IS_ENDED = '(e.at is not null and coalesce(t.updated_at, 0) <= e.at)'

/**
 * Open to-dos of a session that nobody took over, at most `limit`.
 *
 * @param which  `ended`: only those whose list somebody ended; `going`: only the others
 * @param own  sessions that are shown, without what stands in lists that they share
 */
export function* openTodos(
  { key, id }: { key: number; id: SessionId },
  which: 'all' | 'ended' | 'going',
  limit: number,
  own: readonly SessionId[],
): Program<{ todos: RecalledTodo[]; total: number }> {
  const ended = which === 'all' ? '' : which === 'ended' ? ` and ${IS_ENDED}` : ` and not ${IS_ENDED}`
  const from = `${OPEN}${ended}${own.map(() => ` and ${IS_APART}`).join('')}`
  const todos = yield* rows<TodoRow>(
    `select ${COLUMNS} ${from} order by t.list_id, t.ordinal, t.id limit ?`,
    id,
    key,
    id,
    ...own,
    limit,
  )
  if (todos.length < limit) return { todos: todos.map((row) => toTodo(row, id)), total: todos.length }
  const count = yield* first<{ n: number }>(`select count(*) as n ${from}`, id, key, id, ...own)
  return { todos: todos.map((row) => toTodo(row, id)), total: Number(count?.n ?? 0) }
}

/** An issue that is over completes the to-do that it was made of. */
function toTodo(row: TodoRow, of: SessionId): RecalledTodo {
  const todo: RecalledTodo = { content: row.content, status: row.status }
  const promotedTo: IssueId | null = row.promoted_to === null ? null : issueId(row.promoted_to)
  if (promotedTo !== null) todo.promotedTo = promotedTo
  if (row.taken_by !== null && row.taken_by !== of) todo.takenBy = sessionId(row.taken_by)
  if (promotedTo === null || Number(row.is_over) !== 1 || row.status === 'completed') return todo
  return { ...todo, status: 'completed', completedBy: 'issue' }
}
