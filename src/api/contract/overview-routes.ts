import { LEADS, OPERATOR, type Route } from './route'

/** Requests of a person who looks after many agents at once. */
export const OVERVIEW_ROUTES = {
  overview: {
    method: 'GET',
    path: '/api/overview',
    access: LEADS,
    answer: 'json',
    summary: 'What needs a person, what runs, and what finished since a time',
  },
  'needs.dismiss': {
    method: 'POST',
    path: '/api/needs/dismiss',
    access: OPERATOR,
    answer: 'json',
    summary: 'Takes something off the list of what needs a person, until it happens again',
  },
  'tree.level': {
    method: 'GET',
    path: '/api/tree',
    access: LEADS,
    answer: 'json',
    summary: 'What stands under one entry of the tree of all work: projects, tasks, sessions, agents, calls and to-dos',
  },
  costs: {
    method: 'GET',
    path: '/api/costs',
    access: LEADS,
    answer: 'json',
    summary: 'Tokens and US dollars by project, day, model, kind of sub-agent, session or task',
  },
  fleet: {
    method: 'GET',
    path: '/api/fleet',
    access: LEADS,
    answer: 'json',
    summary: 'Hosts, agents, live leases and the queue',
  },
  'sessions.rows': {
    method: 'GET',
    path: '/api/sessions/:id/rows',
    access: LEADS,
    answer: 'json',
    summary: 'Lines of one agent of a session by their number, from any place of it',
  },
  'sessions.content': {
    method: 'GET',
    path: '/api/sessions/:id/events/:eventId/content',
    access: LEADS,
    answer: 'json',
    summary: 'What a line holds, whole: texts, calls, answers, patches and images',
  },
} as const satisfies Record<string, Route>

/** Things that need a person, of one answer. */
export const MAX_NEEDS = 200
/** Rows of a session that one answer holds. */
export const MAX_ROWS = 500
/** Rows of an answer where the request tells none. */
export const DEFAULT_ROWS = 200
/** Entries of one level of the tree, of one answer. */
export const MAX_LEVEL = 500
