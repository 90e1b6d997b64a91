/** Secrets in recorded conversations: where they stand, and how they are taken out. */
import { OPERATOR } from '../../callers'
import { json, noun } from '../../operation'

export const secrets = noun('secrets', {
  list: {
    method: 'GET',
    path: '/api/secrets',
    access: OPERATOR,
    summary: 'List the secrets found in recorded conversations, by secret and session, newest first',
    query: (f) => f.strictObject({ sessionId: f.optional(f.id()), id: f.optional(f.text(40)), ...f.paging() }),
    ids: { sessionId: 'session' },
    answer: json((schemas) => schemas.SecretPage),
  },
  scan: {
    method: 'POST',
    path: '/api/secrets/scan',
    access: OPERATOR,
    summary: 'Look for secrets in what was recorded before the rules or settings were as they are now',
    answer: json((schemas) => schemas.SecretScan),
  },
  erase: {
    method: 'DELETE',
    path: '/api/secrets/:id',
    access: OPERATOR,
    summary: "Take a secret out of the database and of Lodeline's files for good",
    params: (f) => f.strictObject({ id: f.text(40) }),
    /** Nothing comes back from it: the handler wants the whole id. */
    ids: 'as given',
    answer: json((schemas) => schemas.ErasedSecret),
  },
})
