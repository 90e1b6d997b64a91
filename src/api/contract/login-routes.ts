import { EVERYONE, OPERATOR, type Route } from './route'

/** How a person's browser comes in: a code that is good once, exchanged for a cookie that no script can read. */
export const LOGIN_ROUTES = {
  'login.code': {
    method: 'POST',
    path: '/api/login/codes',
    access: OPERATOR,
    answer: 'json',
    summary: 'Makes a code with which one browser may log in, once and soon',
  },
  login: {
    method: 'POST',
    path: '/api/login',
    access: 'public',
    answer: 'handler',
    summary: 'Exchanges a code for a cookie',
  },
  logout: {
    method: 'POST',
    path: '/api/logout',
    access: 'public',
    answer: 'handler',
    summary: "Ends the browser's login",
  },
  me: {
    method: 'GET',
    path: '/api/me',
    access: EVERYONE,
    answer: 'json',
    summary: 'Who is calling',
  },
} as const satisfies Record<string, Route>
