import { EVERYONE, OPERATOR, type Route } from './route'

/**
 * Requests about what comes from outside. A source proves who it is by a signature, everybody else by a token; of runs only those of a
 * task that leads are answered.
 */
export const INBOX_ROUTES = {
  'inbox.receive': {
    method: 'POST',
    path: '/api/inbox',
    access: 'public',
    takes: 'handler',
    answer: 'json',
    summary: 'Takes a request from outside, signed by its source; sent again, it is the same one',
  },
  'inbox.fetchReplies': {
    method: 'POST',
    path: '/api/inbox/replies',
    access: 'public',
    takes: 'handler',
    answer: 'json',
    summary: 'Gives a source, by its signature, the replies that wait for it; those it acknowledges wait no longer',
  },
  'inbox.list': {
    method: 'GET',
    path: '/api/inbox',
    access: EVERYONE,
    answer: 'json',
    summary: 'Lists requests from outside, newest first',
  },
  'inbox.sources': {
    method: 'GET',
    path: '/api/inbox-sources',
    access: OPERATOR,
    answer: 'json',
    summary: 'Lists who may send requests from outside',
  },
  'inbox.putSource': {
    method: 'PUT',
    path: '/api/inbox-sources/:name',
    access: OPERATOR,
    answer: 'json',
    summary: 'Adds or changes a source of requests; a new secret is told here and never again',
  },
  'inbox.removeSource': {
    method: 'DELETE',
    path: '/api/inbox-sources/:name',
    access: OPERATOR,
    answer: 'empty',
    summary: 'Takes nothing more from a source; what it sent stays',
  },
  'inbox.get': {
    method: 'GET',
    path: '/api/inbox/:id',
    access: EVERYONE,
    answer: 'json',
    summary: 'A request from outside with its tasks, replies and the task that it may follow up on',
  },
  'inbox.delegate': {
    method: 'POST',
    path: '/api/inbox/:id/delegate',
    access: EVERYONE,
    isCreate: true,
    answer: 'json',
    summary: 'Makes a task of a request from outside',
  },
  'inbox.reply': {
    method: 'POST',
    path: '/api/inbox/:id/reply',
    access: EVERYONE,
    isCreate: true,
    answer: 'json',
    summary: 'Answers who sent a request',
  },
  'inbox.close': {
    method: 'POST',
    path: '/api/inbox/:id/close',
    access: EVERYONE,
    answer: 'json',
    summary: 'Says that nothing more is to be done about a request',
  },
} as const satisfies Record<string, Route>
