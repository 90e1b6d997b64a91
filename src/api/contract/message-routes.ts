import { EVERYONE, type Route } from './route'

/**
 * Requests about messages and the addresses that they wait at. A run reads and acknowledges at its own task's address alone, an agent at
 * its own, an operator everywhere. `/api/sessions/:id/…` is the same as `/api/addresses/:id/…`.
 */
export const MESSAGE_ROUTES = {
  'messages.send': {
    method: 'POST',
    path: '/api/messages',
    access: EVERYONE,
    isCreate: true,
    answer: 'json',
    summary: 'Sends a message to a task, session or agent; who sends it follows from the token',
  },
  'messages.list': {
    method: 'GET',
    path: '/api/messages',
    access: EVERYONE,
    answer: 'json',
    summary: 'Lists messages, oldest first',
  },
  'messages.get': {
    method: 'GET',
    path: '/api/messages/:id',
    access: EVERYONE,
    answer: 'json',
    summary: 'A message with the steps of its way',
  },
  'messages.withdraw': {
    method: 'POST',
    path: '/api/messages/:id/withdraw',
    access: EVERYONE,
    answer: 'json',
    summary: 'Takes back a message that nobody got yet',
  },
  'addresses.messages': {
    method: 'GET',
    path: '/api/addresses/:id/messages',
    access: EVERYONE,
    answer: 'lines',
    summary: 'What came to an address after a position, or live as server-sent events',
  },
  'addresses.take': {
    method: 'POST',
    path: '/api/addresses/:id/take',
    access: EVERYONE,
    answer: 'json',
    summary: 'Gives what waits at an address to this call, or waits for it; the same call again gets the same',
  },
  'addresses.acknowledge': {
    method: 'POST',
    path: '/api/addresses/:id/ack',
    access: EVERYONE,
    answer: 'json',
    summary: 'Says that these messages have arrived: they are offered to nobody again',
  },
  'sessions.messages': {
    method: 'GET',
    path: '/api/sessions/:id/messages',
    access: EVERYONE,
    answer: 'lines',
    summary: 'What came to a session after a position, or live as server-sent events',
  },
  'sessions.acknowledge': {
    method: 'POST',
    path: '/api/sessions/:id/messages/ack',
    access: EVERYONE,
    answer: 'json',
    summary: 'Says that these messages of a session have arrived',
  },
} as const satisfies Record<string, Route>
