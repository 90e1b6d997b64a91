import { EVERYONE, LEADS, type Route } from './route'

/** Requests about background work: what became of it, its output, its end. A run's token is for its own conversation. */
export const RECOVERY_ROUTES = {
  'sessions.recover': {
    method: 'GET',
    path: '/api/sessions/:id/recover',
    access: EVERYONE,
    answer: 'json',
    summary: 'What a session launched in the background and what became of it, with the end of what runs',
  },
  recover: {
    method: 'GET',
    path: '/api/recover',
    access: LEADS,
    answer: 'json',
    summary: 'The same for the sessions of a project that were heard of last: what runs, is unread, failed or was lost',
  },
  'sessions.launchCheck': {
    method: 'POST',
    path: '/api/sessions/:id/launch-check',
    access: EVERYONE,
    answer: 'json',
    summary: 'Whether the launch of a sub-agent repeats one that runs or is unread',
  },
  'subagents.output': {
    method: 'GET',
    path: '/api/subagents/:id/output',
    access: EVERYONE,
    answer: 'json',
    summary: 'What a sub-agent or background task has put out, from its file or the record',
  },
  'subagents.stop': {
    method: 'POST',
    path: '/api/subagents/:id/stop',
    access: LEADS,
    answer: 'json',
    summary: 'Ends a background shell, where its process can be told for certain',
  },
  'subagents.read': {
    method: 'POST',
    path: '/api/subagents/:id/read',
    access: EVERYONE,
    answer: 'json',
    summary: 'Marks a result as read, so that it is offered no more',
  },
} as const satisfies Record<string, Route>
