import { LEADS, OPERATOR, type Route } from './route'

/** Requests about who is at which address. Only an operator's token registers, attaches and resumes. */
export const REGISTRY_ROUTES = {
  'sessions.register': {
    method: 'POST',
    path: '/api/sessions',
    access: OPERATOR,
    isCreate: true,
    answer: 'json',
    summary: "Registers a client's conversation; one without an id of its own is given an address",
  },
  'sessions.put': {
    method: 'PUT',
    path: '/api/sessions/:id',
    access: OPERATOR,
    answer: 'json',
    summary: 'Makes or changes the registration of a conversation; what is left out stays',
  },
  'sessions.attach': {
    method: 'POST',
    path: '/api/sessions/:id/attach',
    access: OPERATOR,
    answer: 'json',
    summary: 'Attaches a client: who else is attached, and what was missed; again after a restart',
  },
  'sessions.detach': {
    method: 'POST',
    path: '/api/sessions/:id/detach',
    access: OPERATOR,
    answer: 'json',
    summary: 'Detaches a client; messages wait for the next one',
  },
  'sessions.tasks': {
    method: 'GET',
    path: '/api/sessions/:id/tasks',
    access: LEADS,
    answer: 'json',
    summary: 'All tasks that a conversation asked for, newest first',
  },
  'sessions.activeTask': {
    method: 'GET',
    path: '/api/sessions/:id/active-task',
    access: LEADS,
    answer: 'json',
    summary: 'The task to go on with: of those that are not over the newest, at work before waiting',
  },
  'sessions.resume': {
    method: 'POST',
    path: '/api/sessions/:id/resume',
    access: OPERATOR,
    answer: 'json',
    summary: 'How to go on with a suspended conversation in a terminal, or a task that does',
  },
} as const satisfies Record<string, Route>
