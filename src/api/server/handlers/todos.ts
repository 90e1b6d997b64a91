import { DEFAULT_PAGE_LIMIT } from '../../contract/routes'
import { catchUp, resolveSessionId } from '../find-session'
import type { Handler } from '../handler'
import { pageOf } from '../page-of'

export const listTodos: Handler<'todos.list'> = async ({ query }, context) => {
  const { sessionId, subagentId, includeRemoved = false, limit = DEFAULT_PAGE_LIMIT, cursor } = query
  if (sessionId === undefined) await catchUp(null, context)
  const scope = sessionId === undefined ? {} : { sessionId: await resolveSessionId(sessionId, context) }
  const all = await context.store.todos.list({ ...scope, includeRemoved })
  const rows = subagentId === undefined ? all : all.filter((todo) => todo.subagentId === subagentId)
  const page = pageOf(rows, (todo) => todo.id, { limit, cursor })
  return { todos: page.rows, nextCursor: page.nextCursor }
}
