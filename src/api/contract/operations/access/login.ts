/** How a person's browser comes in: a code that is good once, exchanged for a cookie that no script can read. */
import { EVERYONE, OPERATOR } from '../../callers'
import { json, noun } from '../../operation'

export const login = noun('login', {
  code: {
    method: 'POST',
    path: '/api/login/codes',
    access: OPERATOR,
    givesAccess: 'tracked',
    summary: 'Create a short-lived one-time login code for a browser',
    answer: json((schemas) => schemas.LoginCode),
  },
  enter: {
    method: 'POST',
    path: '/api/login',
    access: 'public',
    summary: 'Exchange a code for a cookie',
    body: (f) => f.strictObject({ code: f.text(100) }),
    answer: json((schemas) => schemas.LoggedIn),
  },
  ways: {
    method: 'GET',
    path: '/api/login',
    access: 'public',
    summary: 'Get the ways to log in beside a code',
    answer: json((schemas) => schemas.LoginWays),
  },
  begin: {
    method: 'GET',
    path: '/api/login/provider',
    access: 'public',
    summary: 'Send the browser to the OpenID provider',
    query: (f) => f.strictObject({ to: f.optional(f.text(2_000)) }),
    answer: 'text',
  },
  comeBack: {
    method: 'GET',
    path: '/api/login/provider/back',
    access: 'public',
    isLinked: true,
    summary: 'Take the browser back from the OpenID provider, logged in or with the reason why not',
    answer: 'text',
  },
  leave: {
    method: 'POST',
    path: '/api/logout',
    access: 'public',
    summary: 'Log the browser out',
    answer: 'empty',
  },
  me: {
    method: 'GET',
    path: '/api/me',
    access: EVERYONE,
    summary: 'Get the identity of the caller',
    answer: json((schemas) => schemas.Me),
  },
})
