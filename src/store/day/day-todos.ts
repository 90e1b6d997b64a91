import { type DaySession, type DayTodo, MOST_DAY_TODOS } from '../../domain/day/day'
import { MOST_PASTS, pastOf, todosAt } from '../../domain/todo/todo-past'
import type { ReadContext } from '../sql/read-context'
import { todoReads } from '../todos/reads'
import type { Owner } from './day-agents'

/** The to-dos that each session had at a moment, those of lists that it shares included. */
export async function todosOfDay(
  context: ReadContext,
  owners: readonly Owner[],
  at: number,
): Promise<Map<number, DaySession['todos']>> {
  const reads = todoReads(context)
  const found = new Map<number, DaySession['todos']>()
  const withLists = await context.db
    .selectFrom('todo_lists')
    .select('session_id')
    .distinct()
    .where((eb) =>
      context.capabilities.inKeys(
        eb.ref('session_id'),
        owners.map(({ key }) => key),
      ),
    )
    .execute()
  const listed = new Set(withLists.map(({ session_id }) => Number(session_id)))
  const lists = []
  for (const { key, id } of owners) {
    if (!listed.has(key)) continue
    const todos = await reads.list({ sessionId: id, includeRemoved: true })
    lists.push({ key, todos: todos.slice(0, MOST_PASTS) })
  }
  const histories = await reads.histories([...new Set(lists.flatMap(({ todos }) => todos.map(({ id }) => id)))])
  for (const { key, todos } of lists) {
    const then = todosAt(
      todos.map((todo) => pastOf(todo, histories.get(todo.id))),
      at,
    )
    if (then.length === 0) continue
    const shown = [...then].sort((a, b) => RANKS[a.status] - RANKS[b.status]).slice(0, MOST_DAY_TODOS)
    found.set(key, {
      total: then.length,
      completed: then.filter(({ status }) => status === 'completed').length,
      shown: shown.map(({ id, content, status, subagentId }) => ({ id, content, status, subagentId })),
    })
  }
  return found
}

/** What is under way first. */
const RANKS: Record<DayTodo['status'], number> = { in_progress: 0, pending: 1, completed: 2, removed: 3 }
