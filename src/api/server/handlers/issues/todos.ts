import { AppError } from '../../../../domain/errors'
import { type AgentName, sessionId, subagentId, todoId } from '../../../../domain/ids'
import { droppedCount, type TodoChangeEntry } from '../../../../domain/todo/todo-history'
import type { Todo } from '../../../../domain/todo/todo-item'
import { MOST_PASTS, shownChange } from '../../../../domain/todo/todo-past'
import type { TodoListFilter } from '../../../../domain/todo/todo-store'
import { todos } from '../../../contract/operations/todos'
import { DEFAULT_PAGE_LIMIT, MAX_PAGE_LIMIT } from '../../../contract/protocol'
import { requireFor } from '../../callers/authorize'
import type { Context } from '../../context'
import { checkAgentCli } from '../../find/find-agent-cli'
import { getSession } from '../../find/find-session'
import { namedSession, scopeOfTodos, todoView } from '../../find/find-todos'
import { type Call, handle } from '../../handler'
import { pageOf } from '../../page-of'
import { parseJsonBytes, readJsonBytes } from '../../request/read-body'
import { shownIssue } from './issues'

export const listTodos = handle(todos.list, async ({ query, caller }, context) => {
  const { subagentId, limit = DEFAULT_PAGE_LIMIT, cursor } = query
  const all = await todosOf(query, caller, context)
  const rows = subagentId === undefined ? all : all.filter((todo) => todo.subagentId === subagentId)
  const page = pageOf(rows, (todo) => todo.id, { limit, cursor })
  return { todos: page.rows, nextCursor: page.nextCursor }
})

async function todosOf(
  query: Call<typeof todos.list>['query'],
  caller: Call<typeof todos.list>['caller'],
  context: Context,
): Promise<Todo[]> {
  const { sessionId: named, active, agent, includeRemoved = false } = query
  checkAgentCli(agent, context)
  const { todos: reads } = context.store
  const { sessions, project } = await scopeOfTodos(todos.list, query, caller, context)
  const [only] = sessions ?? []
  if (named !== undefined && only !== undefined) return await reads.list({ sessionId: only, includeRemoved })
  if (sessions === undefined && project === undefined && active === undefined && agent === undefined)
    return await reads.list({ includeRemoved })
  const filter = filterOf({ sessions, project }, { active, agent }, includeRemoved)
  const found = new Map<string, Todo>()
  let cursor: string | null | undefined
  do {
    const page = await reads.lists(filter, { limit: MAX_PAGE_LIMIT, ...(cursor && { cursor }) }, todoView(context))
    // Sessions that share a list both have its items.
    for (const list of page.rows) for (const todo of list.todos) found.set(todo.id, todo)
    cursor = page.nextCursor
  } while (cursor !== null)
  return [...found.values()]
}

function filterOf(
  { sessions, project }: Awaited<ReturnType<typeof scopeOfTodos>>,
  { active, agent }: { active?: boolean | undefined; agent?: AgentName | undefined },
  withRemoved: boolean,
): TodoListFilter {
  return {
    ...(sessions !== undefined && { sessions }),
    ...(project !== undefined && { project }),
    ...(active !== undefined && { isActive: active }),
    ...(agent !== undefined && { agent }),
    withRemoved,
  }
}

export const listTodoLists = handle(todos.lists, async ({ query, caller }, context) => {
  const { active, agent, includeRemoved = false, limit = DEFAULT_PAGE_LIMIT, cursor } = query
  checkAgentCli(agent, context)
  const scope = await scopeOfTodos(todos.lists, query, caller, context)
  const filter = filterOf(scope, { active, agent }, includeRemoved)
  const page = await context.store.todos.lists(
    filter,
    { limit, ...(cursor !== undefined && { cursor }) },
    todoView(context),
  )
  return { lists: page.rows, nextCursor: page.nextCursor }
})

export const sessionTodoList = handle(todos.ofSession, async ({ params, caller }, context) => {
  const id = await namedSession(todos.ofSession, params.id, caller, context)
  return await context.store.todos.ofSession(id, todoView(context))
})

export const todoHistory = handle(todos.history, async ({ params, caller }, context) => {
  const todo = await getTodo(params.id, context)
  await requireFor(todos.history, caller, todo.sessionId, context)
  return historyOf(todo, await context.store.todos.history(todo.id))
})

export const todoChanges = handle(todos.changes, async ({ params }, context) => {
  const { id } = await getSession(params.id, context)
  const all = await context.store.todos.list({ sessionId: id, includeRemoved: true })
  const shown = all.slice(0, MOST_PASTS)
  const histories = await context.store.todos.histories(shown.map((todo) => todo.id))
  return { todos: shown.map((todo) => historyOf(todo, histories.get(todo.id))) }
})

function historyOf(todo: Todo, kept: string | undefined) {
  const stored = JSON.parse(kept ?? '[]') as TodoChangeEntry[]
  const history = stored.map((entry) => ({
    ...shownChange(entry),
    by: {
      sessionId: entry.session === undefined ? todo.sessionId : sessionId(entry.session),
      subagentId: entry.by === null ? null : subagentId(entry.by),
    },
  }))
  return { todo, history, droppedCount: droppedCount(stored) }
}

/** @throws `not_found` `conflict` */
async function getTodo(given: string, { store }: Context): Promise<Todo> {
  const exact = await store.todos.find(todoId(given))
  if (exact !== undefined) return exact
  const candidates = await store.todos.match(given)
  const [only] = candidates
  if (candidates.length > 1)
    throw new AppError('conflict', `${candidates.length} to-dos begin with ${given}.`, {
      hint: 'Give more of the ID.',
      details: { candidates },
    })
  const found = only === undefined ? undefined : await store.todos.find(only)
  if (found !== undefined) return found
  throw new AppError('not_found', `There is no to-do ${given}.`, {
    hint: 'Run `lode todo list --json` to see all to-dos.',
  })
}

export const promoteTodo = handle(todos.promote, async ({ params, body, caller }, context) => {
  const { id, sessionId: session } = await getTodo(params.id, context)
  await requireFor(todos.promote, caller, session, context)
  const { dir, actor, sessionId: calling, parent } = body
  const scope = { dir, actor, sessionId: calling }
  const { tracker, issueId, isNew, notices } = await context.services.todos.promote(caller, scope, id, { parent })
  return { issue: await shownIssue(tracker, issueId, context), isNew, notices }
})

/** The payload is read here: its limit is larger, as any hook's. */
export const syncTodos = handle(todos.sync, async ({ params, caller, request }, context) => {
  const { limits, services } = context
  // Any id: a session that was never heard of begins with its first payload.
  const session = sessionId(params.id)
  await requireFor(todos.sync, caller, session, context)
  const bytes = await readJsonBytes(request, { maxBytes: limits.hookBodyBytes, timeoutMs: limits.bodyTimeoutMs })
  const payload = parseJsonBytes(bytes)
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload))
    throw new AppError('invalid', 'A hook payload must be a JSON object.')
  return await services.syncTodos(session, payload as Record<string, unknown>)
})

export const finalizeTodos = handle(
  todos.finalize,
  async ({ params, caller }, context) =>
    await context.services.todos.finalize(caller, await namedSession(todos.finalize, params.id, caller, context)),
)

export const takeTodos = handle(todos.take, async ({ params, body, caller }, context) => {
  const session = await namedSession(todos.take, params.id, caller, context)
  return await context.services.todos.take(caller, session, body.todoIds.map(todoId))
})
