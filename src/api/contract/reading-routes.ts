import { LEADS, type Route } from './route'

/** Requests that read a session as people read it. */
export const READING_ROUTES = {
  'sessions.conversation': {
    method: 'GET',
    path: '/api/sessions/:id/conversation',
    access: LEADS,
    answer: 'json',
    summary: 'A conversation by turns, with sub-agents at the calls that launched them',
  },
  'sessions.timeline': {
    method: 'GET',
    path: '/api/sessions/:id/timeline',
    access: LEADS,
    answer: 'json',
    summary: 'When each agent of a session worked, waited and was idle',
  },
  'sessions.diff': {
    method: 'GET',
    path: '/api/sessions/:id/diff/:other',
    access: LEADS,
    answer: 'json',
    summary: 'What two sessions share, and what each went on with',
  },
} as const satisfies Record<string, Route>

/** Turns of a page when the request doesn't say, and the most that it may ask for. */
export const DEFAULT_TURNS = 20
export const MAX_TURNS = 200
/** Levels of sub-agents that may be folded in. */
export const MAX_DEPTH = 10
/** Lanes of a timeline beside the main thread's. */
export const DEFAULT_LANES = 40
export const MAX_LANES = 1_000
