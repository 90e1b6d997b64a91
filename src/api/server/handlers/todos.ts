import { AppError } from '../../../domain/errors'
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

/** Their use cases are not put together yet. */
const notYet = (): never => {
  throw new AppError('unavailable', 'this is not there yet')
}
export const listTodoLists: Handler<'todos.lists'> = notYet
export const todoHistory: Handler<'todos.history'> = notYet
export const promoteTodo: Handler<'todos.promote'> = notYet
export const sessionTodoList: Handler<'sessions.todoList'> = notYet
export const syncTodos: Handler<'sessions.syncTodos'> = notYet
export const finalizeTodos: Handler<'sessions.finalizeTodos'> = notYet
export const takeTodos: Handler<'sessions.takeTodos'> = notYet
