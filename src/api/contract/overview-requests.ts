import * as z from 'zod/mini'
import { COST_GROUPS, TREE_STATUSES } from '../../domain/tree-entry'
import type { LOGIN_ROUTES } from './login-routes'
import { MAX_LEVEL, MAX_NEEDS, MAX_ROWS, type OVERVIEW_ROUTES } from './overview-routes'
import {
  byId,
  cursor,
  id,
  limit,
  nothing,
  ofUuid,
  type RequestSchemas,
  taskTexts,
  text,
  time,
  whole,
} from './request-fields'

/** What goes into requests of a person who looks after many agents. */
export const OVERVIEW_REQUESTS = {
  overview: {
    query: () =>
      z.strictObject({
        /** What finished after this. Default: the last day. */
        since: z.optional(time()),
        /** Of each of the three lists. Default 100. */
        limit: z.optional(limit(MAX_NEEDS)),
      }),
  },
  'needs.dismiss': { body: () => z.strictObject({ id: text(500) }) },
  'tree.level': {
    query: () =>
      z.strictObject({
        /** An entry's id; without it the projects. */
        under: z.optional(text(1_000)),
        /** Only entries of this status, and those on the way to one; to-dos are plans and fit none. */
        status: z.optional(z.array(z.enum(TREE_STATUSES))),
        /** Only what needs a person, as the overview has it. */
        needed: z.optional(z.boolean()),
        /** Only tasks and sessions whose title holds this, and what stands above them. */
        q: z.optional(text(200)),
        /** Only what was heard of after this. */
        since: z.optional(time()),
        limit: z.optional(limit(MAX_LEVEL)),
        cursor: z.optional(cursor()),
      }),
  },
  costs: {
    query: () =>
      z.strictObject({
        by: z.enum(COST_GROUPS),
        since: z.optional(time()),
        until: z.optional(time()),
        /** A project: its entry's id in the tree, its folder or its name. */
        project: z.optional(text(1_000)),
        model: z.optional(text(200)),
        sessionId: z.optional(id()),
        taskId: z.optional(id()),
        /** Whose days are told: an IANA name like `Europe/Berlin`. Default `UTC`. */
        timeZone: z.optional(text(64)),
        limit: z.optional(limit(MAX_LEVEL)),
      }),
  },
  fleet: { query: () => z.strictObject(taskTexts()) },
  'sessions.rows': {
    params: byId,
    query: () =>
      z.strictObject({
        /** Number of the first row wanted, 0 = the oldest. Default: so that the last row is in. */
        from: z.optional(whole(0, 1_000_000_000)),
        /** Instead: so that this event stands in the middle. */
        around: z.optional(ofUuid()),
        limit: z.optional(limit(MAX_ROWS)),
        /** This sub-agent's lines instead of the main thread's. */
        subagentId: z.optional(id()),
      }),
  },
  'sessions.content': { params: () => z.strictObject({ id: id(), eventId: ofUuid() }) },
} satisfies Record<keyof typeof OVERVIEW_ROUTES, RequestSchemas>

/** What goes into requests by which a browser comes in. */
export const LOGIN_REQUESTS = {
  'login.code': { body: nothing },
  login: { body: () => z.strictObject({ code: text(100) }) },
  logout: { body: nothing },
  me: {},
} satisfies Record<keyof typeof LOGIN_ROUTES, RequestSchemas>
