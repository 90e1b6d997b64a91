import * as z from 'zod/mini'
import { MAX_DEPTH, MAX_LANES, MAX_TURNS, type READING_ROUTES } from './reading-routes'
import { byId, cursor, id, limit, type RequestSchemas, text, whole } from './request-fields'

/** What goes into requests that read a session. */
export const READING_REQUESTS = {
  'sessions.conversation': {
    params: byId,
    query: () =>
      z.strictObject({
        /** Turns. A long one may go on on the next page all the same. */
        limit: z.optional(limit(MAX_TURNS)),
        cursor: z.optional(cursor()),
        /** `start` (default), `end`, a turn's number, a time, or an event's id: the turn that it stands in. */
        from: z.optional(text(100)),
        /** This sub-agent's own conversation. */
        subagentId: z.optional(id()),
        /** Levels of sub-agents whose turns are folded in. Default 0. */
        depth: z.optional(whole(0, MAX_DEPTH)),
        /** Lines of all agents by time, instead of sub-agents at their calls. */
        flat: z.optional(z.boolean()),
        /** Whole texts, from the journals. */
        full: z.optional(z.boolean()),
      }),
  },
  'sessions.timeline': {
    params: byId,
    query: () =>
      z.strictObject({
        /** Lanes beside the main thread's. */
        limit: z.optional(limit(MAX_LANES)),
      }),
  },
  'sessions.diff': {
    params: () => z.strictObject({ id: id(), other: id() }),
    query: () =>
      z.strictObject({
        /** Turns of each side. */
        limit: z.optional(limit(MAX_TURNS)),
      }),
  },
} satisfies Record<keyof typeof READING_ROUTES, RequestSchemas>
