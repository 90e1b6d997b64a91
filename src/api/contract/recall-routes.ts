import { AGENTS, EVERYONE, type Route } from './route'

/** Requests about what a session is told of its goal and state. */
export const RECALL_ROUTES = {
  recall: {
    // A hand-over is given by it, and then to nobody else.
    method: 'POST',
    path: '/api/recall',
    access: AGENTS,
    answer: 'text',
    summary:
      'What the agent of a session is told at a moment, within 2,000 tokens; gives it the hand-over that waits for it',
  },
  'handoffs.create': {
    method: 'POST',
    path: '/api/handoffs',
    access: EVERYONE,
    answer: 'json',
    summary: 'Leaves goal, state, evidence and next step to the next session in a folder or on an issue',
  },
  'handoffs.list': {
    method: 'GET',
    path: '/api/handoffs',
    access: AGENTS,
    answer: 'json',
    summary: 'Lists hand-overs, newest first, with who got them',
  },
} as const satisfies Record<string, Route>
