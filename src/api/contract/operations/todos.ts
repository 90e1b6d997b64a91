/**
 * Agents' to-dos, and which issue a session works on. A run touches its own session alone, and reads beside it the to-dos of sessions on an
 * issue that it names.
 */

import { OWN_SESSION, READ_TODO_LISTS, USE_ISSUES } from '../../../domain/access/rules'
import type { SessionId } from '../../../domain/ids'
import { type Fields, json, noun } from '../operation'

/** An id of a to-do, or a unique beginning: slashes stand between a list and the agent's own number, and no part is a dot segment. */
const TODO_PATTERN = /^(?!.{401})(?:(?!\.{1,2}(?:\/|$))[^\s/\\\p{Cc}\p{Cf}]{1,200}(?:\/(?!$)|$)){1,4}$/u
const todo = (f: Fields) => f.string().check(f.regex(TODO_PATTERN, 'is not an id of a to-do'))

const scope = (f: Fields) => ({
  ...f.tracker(),
})
const where = (f: Fields) => f.strictObject({ dir: f.optional(f.text(4_096)) })
const scopeOnly = (f: Fields) => f.strictObject(scope(f))
const byTodo = (f: Fields) => f.strictObject({ id: todo(f) })

const ofSessions = (f: Fields) => ({
  /** Sessions that are linked to this issue. */
  issue: f.optional(f.id()),
  /** Which tracker's issue, and on its own: of sessions of this folder's project. */
  dir: f.optional(f.text(4_096)),
  /** Only of sessions of this agent CLI. */
  agent: f.optional(f.agentCli()),
  /** Only of sessions that are not over (true), or that are (false). */
  active: f.optional(f.boolean()),
  includeRemoved: f.optional(f.boolean()),
  ...f.paging(),
})

export const todos = noun('todos', {
  list: {
    method: 'GET',
    path: '/api/todos',
    access: OWN_SESSION,
    summary: "List agents' to-dos",
    query: (f) =>
      f.strictObject({
        sessionId: f.optional(f.id()),
        /** The sub-agent whose list it is or that made the item; `null` = the main thread. */
        subagentId: f.optional(f.nullable(f.id())),
        ...ofSessions(f),
      }),
    answer: json((schemas) => schemas.TodoPage),
  },
  lists: {
    method: 'GET',
    path: '/api/todo-lists',
    access: READ_TODO_LISTS,
    summary: 'List to-dos by session with their issues, newest change first',
    query: (f) => f.strictObject(ofSessions(f)),
    answer: json((schemas) => schemas.SessionTodosPage),
  },
  history: {
    method: 'GET',
    path: '/api/todos/:id/history',
    access: OWN_SESSION,
    summary: 'List the changes of a to-do, oldest first',
    params: byTodo,
    answer: json((schemas) => schemas.TodoHistory),
  },
  changes: {
    method: 'GET',
    path: '/api/sessions/:id/todo-changes',
    access: OWN_SESSION,
    summary: 'List the to-dos of a session, removed ones too, each with its changes',
    answer: json((schemas) => schemas.TodoChanges),
  },
  promote: {
    method: 'POST',
    path: '/api/todos/:id/promote',
    access: OWN_SESSION,
    summary: "Promote a to-do to a child issue of its session's issue; if it was promoted before, return that issue",
    params: byTodo,
    body: (f) =>
      f.strictObject({
        ...scope(f),
        /** The calling session. */
        sessionId: f.optional(f.idOf<SessionId>()),
        /** The issue that it becomes a child of, instead of the one that its session works on. */
        parent: f.optional(f.id()),
      }),
    mayNameNewSession: true,
    answer: json((schemas) => schemas.PromotedTodo),
  },
  ofSession: {
    method: 'GET',
    path: '/api/sessions/:id/todo-list',
    access: OWN_SESSION,
    summary: "Get a session's to-dos with their issues",
    query: where,
    answer: json((schemas) => schemas.SessionTodos),
  },
  /** The body is the payload as the agent's CLI gives it to a hook. */
  sync: {
    method: 'POST',
    path: '/api/sessions/:id/todos/sync',
    access: OWN_SESSION,
    takes: 'handler',
    summary: "Record a hook payload of an agent's to-do tool before responding; payloads of other tools change nothing",
    ownBody: (f) => f.hookPayload(),
    ids: 'as given',
    answer: json((schemas) => schemas.TodosSynced),
  },
  finalize: {
    method: 'POST',
    path: '/api/sessions/:id/todos/finalize',
    access: OWN_SESSION,
    summary: "End a session's to-do lists; unfinished to-dos are left open",
    answer: json((schemas) => schemas.TodosFinalized),
  },
  take: {
    method: 'POST',
    path: '/api/sessions/:id/todos/take',
    access: OWN_SESSION,
    summary: 'Take over to-dos left open by another session',
    body: (f) => f.strictObject({ todoIds: f.array(todo(f)).check(f.minLength(1), f.maxLength(1_000)) }),
    answer: json((schemas) => schemas.TodosTaken),
  },
})

export const links = noun('links', {
  ofSession: {
    method: 'GET',
    path: '/api/sessions/:id/issues',
    access: OWN_SESSION,
    summary: "List a session's linked issues with the evidence for each link",
    query: where,
    answer: json((schemas) => schemas.SessionIssues),
  },
  link: {
    method: 'PUT',
    path: '/api/sessions/:id/issues/:issue',
    access: OWN_SESSION,
    summary: 'Link a session to an issue',
    body: scopeOnly,
    answer: json((schemas) => schemas.IssueLink),
  },
  unlink: {
    method: 'DELETE',
    path: '/api/sessions/:id/issues/:issue',
    access: OWN_SESSION,
    summary: 'Unlink a session from an issue',
    query: scopeOnly,
    answer: json((schemas) => schemas.IssueUnlink),
  },
  unlinkAll: {
    method: 'DELETE',
    path: '/api/sessions/:id/issues',
    access: OWN_SESSION,
    summary: 'Unlink a session from every issue',
    query: scopeOnly,
    answer: json((schemas) => schemas.IssueUnlink),
  },
  saw: {
    method: 'POST',
    path: '/api/sessions/:id/issues/:issue/seen',
    access: OWN_SESSION,
    summary: 'Note that a session viewed an issue, to suggest a link',
    body: scopeOnly,
    answer: json((schemas) => schemas.IssueSeen),
  },
  ofIssue: {
    method: 'GET',
    path: '/api/issues/:id/sessions',
    access: USE_ISSUES,
    summary: 'List the sessions of an issue with their to-dos, active sessions first',
    query: where,
    mayNameNewSession: true,
    answer: json((schemas) => schemas.IssueSessions),
  },
})
