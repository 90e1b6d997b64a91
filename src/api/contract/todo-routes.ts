import { EVERYONE, type Route } from './route'

/**
 * Requests about agents' to-dos, and about which issue a session works on. A run touches its own session alone, and reads beside it
 * the to-dos of sessions on an issue that it names.
 */
export const TODO_ROUTES = {
  'todos.list': {
    method: 'GET',
    path: '/api/todos',
    access: EVERYONE,
    answer: 'json',
    summary: "Lists the agents' own to-dos",
  },
  'todos.lists': {
    method: 'GET',
    path: '/api/todo-lists',
    access: EVERYONE,
    answer: 'json',
    summary: 'To-dos by session, with the issues that they are for; the newest change first',
  },
  'todos.history': {
    method: 'GET',
    path: '/api/todos/:id/history',
    access: EVERYONE,
    answer: 'json',
    summary: 'What happened to a to-do, oldest first',
  },
  'todos.promote': {
    method: 'POST',
    path: '/api/todos/:id/promote',
    access: EVERYONE,
    answer: 'json',
    summary: 'Makes an issue of a to-do, below the one that its session works on; done before, answers with that',
  },
  'sessions.todoList': {
    method: 'GET',
    path: '/api/sessions/:id/todo-list',
    access: EVERYONE,
    answer: 'json',
    summary: "A session's to-dos with the issues that they are for",
  },
  'sessions.syncTodos': {
    method: 'POST',
    path: '/api/sessions/:id/todos/sync',
    access: EVERYONE,
    takes: 'handler',
    answer: 'json',
    summary:
      "Takes in a hook payload of an agent's to-do tool, before it answers; payloads of other tools change nothing",
  },
  'sessions.finalizeTodos': {
    method: 'POST',
    path: '/api/sessions/:id/todos/finalize',
    access: EVERYONE,
    answer: 'json',
    summary: "Ends a session's lists: what is open is left open",
  },
  'sessions.takeTodos': {
    method: 'POST',
    path: '/api/sessions/:id/todos/take',
    access: EVERYONE,
    answer: 'json',
    summary: 'Gives to-dos that another session left to this one',
  },
  'sessions.issues': {
    method: 'GET',
    path: '/api/sessions/:id/issues',
    access: EVERYONE,
    answer: 'json',
    summary: 'Issues that a session is linked to, with what makes us say so',
  },
  'sessions.linkIssue': {
    method: 'PUT',
    path: '/api/sessions/:id/issues/:issue',
    access: EVERYONE,
    answer: 'json',
    summary: 'Links a session to an issue',
  },
  'sessions.unlinkIssue': {
    method: 'DELETE',
    path: '/api/sessions/:id/issues/:issue',
    access: EVERYONE,
    answer: 'json',
    summary: 'Unlinks a session from an issue',
  },
  'sessions.unlinkIssues': {
    method: 'DELETE',
    path: '/api/sessions/:id/issues',
    access: EVERYONE,
    answer: 'json',
    summary: 'Unlinks a session from every issue',
  },
  'sessions.sawIssue': {
    method: 'POST',
    path: '/api/sessions/:id/issues/:issue/seen',
    access: EVERYONE,
    answer: 'json',
    summary: 'Notes that a session looked at an issue, for the suggestion to link it',
  },
  'issues.sessions': {
    method: 'GET',
    path: '/api/issues/:id/sessions',
    access: EVERYONE,
    answer: 'json',
    summary: 'Sessions that work or worked on an issue, with their to-dos; those at work first',
  },
} as const satisfies Record<string, Route>
