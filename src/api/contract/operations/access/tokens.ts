/** Tokens of people and programs, and the enrollment of workers on other machines. */
import { AGENT_LIMITS } from '../../../../domain/agent'
import { JOIN_LIMITS } from '../../../../domain/task/worker-protocol'
import { TOKEN_LIMITS, TOKEN_ROLES, TOKEN_SPAN_MS } from '../../../../domain/token/token'
import { OPERATOR } from '../../callers'
import { type Fields, json, noun } from '../../operation'

/** Milliseconds until the token ends; left out: it does not expire. */
const expiry = (f: Fields) => f.optional(f.whole(TOKEN_SPAN_MS.least, TOKEN_SPAN_MS.most))

export const tokens = noun('tokens', {
  list: {
    method: 'GET',
    path: '/api/tokens',
    access: OPERATOR,
    summary: 'List the tokens of people and programs, newest first',
    answer: json((schemas) => schemas.TokenList),
  },
  create: {
    method: 'POST',
    path: '/api/tokens',
    access: OPERATOR,
    givesAccess: 'tracked',
    summary: 'Create a token for a person or a program; it is returned only in this response',
    body: (f) =>
      f.strictObject({
        /** Programs only. */
        role: f.optional(f.enum(TOKEN_ROLES)),
        /** The person whose it is: it has that person's role, whatever that is at the moment. */
        user: f.optional(f.text(20 * TOKEN_LIMITS.name)),
        /** The owner's name, or what a person uses it for. */
        name: f.optional(f.text(TOKEN_LIMITS.name)),
        expiresInMs: expiry(f),
      }),
    answer: json((schemas) => schemas.CreatedToken),
  },
  revoke: {
    method: 'DELETE',
    path: '/api/tokens/:id',
    access: OPERATOR,
    givesAccess: 'tracked',
    summary: 'End a token',
    answer: json((schemas) => schemas.RevokedToken),
  },
  rotate: {
    method: 'POST',
    path: '/api/tokens/rotate',
    access: OPERATOR,
    givesAccess: 'tracked',
    summary: "Replace the server's own token; the old one and all logins of browsers end",
    answer: json((schemas) => schemas.RotatedToken),
  },
})

export const workers = noun('workers', {
  list: {
    method: 'GET',
    path: '/api/workers',
    access: OPERATOR,
    summary: 'List the workers that were enrolled, by name',
    answer: json((schemas) => schemas.EnrollmentList),
  },
  enroll: {
    method: 'POST',
    path: '/api/workers',
    access: OPERATOR,
    givesAccess: 'tracked',
    summary: 'Create a one-time code with which a machine gets the token of a worker',
    body: (f) => f.strictObject({ name: f.text(AGENT_LIMITS.name), expiresInMs: expiry(f) }),
    answer: json((schemas) => schemas.EnrollmentCode),
  },
  enter: {
    method: 'POST',
    path: '/api/workers/enter',
    access: 'public',
    summary: 'Exchange an enrollment code for the token of its worker',
    body: (f) =>
      f.strictObject({
        code: f.text(100),
        hostname: f.text(JOIN_LIMITS.hostname),
        hostName: f.text(JOIN_LIMITS.hostName),
        hostKey: f.text(JOIN_LIMITS.hostKey),
      }),
    answer: json((schemas) => schemas.EnteredWorker),
  },
  revoke: {
    method: 'DELETE',
    path: '/api/workers/:name',
    access: OPERATOR,
    givesAccess: 'tracked',
    summary: 'End the access of an enrolled worker and its attempts',
    params: (f) => f.strictObject({ name: f.text(AGENT_LIMITS.name) }),
    ids: 'as given',
    answer: 'empty',
  },
})
