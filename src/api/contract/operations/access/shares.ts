/** Links that show a part of one session to anybody who has them. */
import { SHARE_SPAN_MS } from '../../../../domain/token/share'
import { OPERATOR } from '../../callers'
import { json, noun } from '../../operation'
import { documentRange } from '../sessions'

export const shares = noun('shares', {
  list: {
    method: 'GET',
    path: '/api/shares',
    access: OPERATOR,
    summary: 'List the links to sessions, newest first',
    answer: json((schemas) => schemas.ShareList),
  },
  create: {
    method: 'POST',
    path: '/api/shares',
    access: OPERATOR,
    givesAccess: 'tracked',
    summary:
      'Create a link that shows a session, a range of its turns, or two sessions compared, until it expires; it is returned only here',
    body: (f) =>
      f.strictObject({
        sessionId: f.id(),
        ...documentRange(f),
        /** Another session: the link shows both, compared. */
        besideId: f.optional(f.id()),
        /** Default: a week. */
        expiresInMs: f.optional(f.whole(SHARE_SPAN_MS.least, SHARE_SPAN_MS.most)),
      }),
    answer: json((schemas) => schemas.CreatedShare),
  },
  revoke: {
    method: 'DELETE',
    path: '/api/shares/:id',
    access: OPERATOR,
    givesAccess: 'tracked',
    summary: 'End a link to a session',
    answer: json((schemas) => schemas.RevokedShare),
  },
  open: {
    method: 'GET',
    path: '/api/shared',
    access: 'public',
    isLinked: true,
    summary: 'Show what a link shows, as a page of HTML; `key` is the secret of the link',
    query: (f) => f.strictObject({ key: f.text(200) }),
    answer: 'text',
  },
})
