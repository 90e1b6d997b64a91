import * as z from 'zod/mini'
import type { IssueId } from '../../domain/ids'
import { RECALL_MOMENTS } from '../../domain/recall'
import type { RECALL_ROUTES } from './recall-routes'
import { id, idOf, limit, type RequestSchemas, text, words } from './request-fields'

/** What goes into requests about recall and hand-overs. */
export const RECALL_REQUESTS = {
  recall: {
    body: () =>
      z.strictObject({
        moment: z.enum(RECALL_MOMENTS),
        /** Without it nobody is given a hand-over: it is shown only. */
        sessionId: z.optional(id()),
        /** What the same process held before `clear`, or what it forks. */
        origin: z.optional(id()),
        /** Absolute; where the session works. */
        folder: text(4_096),
        /** The issue that its environment names. */
        issueId: z.optional(idOf<IssueId>()),
        /** Somebody looks at what the session would be told: no hand-over and no news is given out by that. */
        isLook: z.optional(z.boolean()),
      }),
  },
  'handoffs.create': {
    body: () =>
      z.strictObject({
        /** Whose goal and state are handed over; a run hands over its own. */
        sessionId: z.optional(id()),
        folder: text(4_096),
        /** Given to a session on this issue; `linked` = the one that the session works on. */
        to: z.optional(id()),
        /** The writer's own words. */
        note: z.optional(words()),
        /** These stand in for what the record says. */
        goal: z.optional(words()),
        state: z.optional(words()),
        evidence: z.optional(words()),
        next: z.optional(words()),
      }),
  },
  'handoffs.list': { query: () => z.strictObject({ folder: z.optional(text(4_096)), limit: z.optional(limit(500)) }) },
} satisfies Record<keyof typeof RECALL_ROUTES, RequestSchemas>
