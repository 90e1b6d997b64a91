/** The audit log: who did what that matters for security. */
import { AUDIT_ACT_NAMES, AUDIT_LIMITS } from '../../../../domain/audit'
import { OPERATOR } from '../../callers'
import { json, noun } from '../../operation'

export const audit = noun('audit', {
  list: {
    method: 'GET',
    path: '/api/audit',
    access: OPERATOR,
    summary: 'List the lines of the audit log, newest first',
    query: (f) =>
      f.strictObject({
        act: f.optional(f.enum(AUDIT_ACT_NAMES)),
        /** Only lines of this kind of actor, e.g. `worker`, or of the one with this name. */
        who: f.optional(f.text(AUDIT_LIMITS.word)),
        /** Only lines after the one with this number. */
        after: f.optional(f.seq()),
        /** Only lines of this time and later. */
        since: f.optional(f.time()),
        ...f.paging(),
      }),
    answer: json((schemas) => schemas.AuditPage),
  },
  verify: {
    method: 'GET',
    path: '/api/audit/check',
    access: OPERATOR,
    summary: 'Check the audit log for lines that were changed or are missing',
    answer: json((schemas) => schemas.AuditCheck),
  },
})
