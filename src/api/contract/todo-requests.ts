import * as z from 'zod/mini'
import type { SessionId } from '../../domain/ids'
import { byId, id, idOf, nothing, paging, type RequestSchemas, text } from './request-fields'
import type { TODO_ROUTES } from './todo-routes'

const optional = z.optional

/** An id of a to-do, or a unique beginning: slashes stand between a list and the agent's own number, and no part is a dot segment. */
const TODO_PATTERN = /^(?!.{401})(?:(?!\.{1,2}(?:\/|$))[^\s/\\\p{Cc}\p{Cf}]{1,200}(?:\/(?!$)|$)){1,4}$/u
const todo = () => z.string().check(z.regex(TODO_PATTERN, 'is not an id of a to-do'))

/** Which tracker is meant, and what an operator's command says of itself. */
const scope = () => ({
  /** Absolute, on the server's machine: a folder of the project. */
  dir: optional(text(4_096)),
  actor: optional(text(200)),
})
const where = () => z.strictObject({ dir: optional(text(4_096)) })
const scopeOnly = () => z.strictObject(scope())
const byTodo = () => z.strictObject({ id: todo() })
const bySessionAndIssue = () => z.strictObject({ id: id(), issue: id() })

const ofSessions = () => ({
  /** Of sessions that are linked to this issue. */
  issue: optional(id()),
  /** Which tracker's issue, and on its own: of sessions of this folder's project. */
  dir: optional(text(4_096)),
  /** Only of sessions that are not over (true), or that are (false). */
  active: optional(z.boolean()),
  includeRemoved: optional(z.boolean()),
  ...paging(),
})

/** What goes into requests about to-dos and links. */
export const TODO_REQUESTS = {
  'todos.list': {
    query: () =>
      z.strictObject({
        sessionId: optional(id()),
        /** Whose list it is or who made the item; `null` = the main thread. */
        subagentId: optional(z.nullable(id())),
        ...ofSessions(),
      }),
  },
  'todos.lists': { query: () => z.strictObject(ofSessions()) },
  'todos.history': { params: byTodo },
  'todos.promote': {
    params: byTodo,
    body: () =>
      z.strictObject({
        ...scope(),
        /** The calling session. */
        sessionId: optional(idOf<SessionId>()),
        /** The issue that it becomes a child of, instead of the one that its session works on. */
        parent: optional(id()),
      }),
  },
  'sessions.todoList': { params: byId, query: where },
  /** The body is the payload as the agent's CLI gives it to a hook. */
  'sessions.syncTodos': { params: byId },
  'sessions.finalizeTodos': { params: byId, body: nothing },
  'sessions.takeTodos': {
    params: byId,
    body: () => z.strictObject({ todoIds: z.array(todo()).check(z.minLength(1), z.maxLength(1_000)) }),
  },
  'sessions.issues': { params: byId, query: where },
  'sessions.linkIssue': { params: bySessionAndIssue, body: scopeOnly },
  'sessions.unlinkIssue': { params: bySessionAndIssue, query: scopeOnly },
  'sessions.unlinkIssues': { params: byId, query: scopeOnly },
  'sessions.sawIssue': { params: bySessionAndIssue, body: scopeOnly },
  'issues.sessions': { params: byId, query: where },
} satisfies Record<keyof typeof TODO_ROUTES, RequestSchemas>
