import * as z from 'zod/mini'
import type { RECOVERY_ROUTES } from './recovery-routes'
import { byId, id, limit, type RequestSchemas, text } from './request-fields'

/** Lines of an output that may be asked for. */
export const MAX_TAIL_LINES = 10_000
/** Rows of what became of background work. */
export const MAX_RECOVERED = 1_000

const recovered = () => ({
  limit: z.optional(limit(MAX_RECOVERED)),
  /** What was read too. */
  all: z.optional(z.boolean()),
})

const session = () => ({
  /** Its session, where several have such an id. */
  sessionId: z.optional(id()),
})

/** What goes into requests about background work. */
export const RECOVERY_REQUESTS = {
  'sessions.recover': { params: byId, query: () => z.strictObject(recovered()) },
  recover: {
    query: () =>
      z.strictObject({
        /** Absolute; sessions that work in it or below. */
        project: text(4_096),
        ...recovered(),
      }),
  },
  'sessions.launchCheck': {
    params: byId,
    body: () =>
      z.strictObject({
        /** Conversations that it goes on from, where only the caller knows. */
        origins: z.array(id()).check(z.maxLength(5)),
        type: text(1_000),
        prompt: z.string(),
        /** When the CLI's process began, in milliseconds since the epoch. */
        processStartedAt: z.nullable(z.number()),
      }),
  },
  'subagents.output': {
    params: byId,
    query: () =>
      z.strictObject({
        ...session(),
        /** The last lines alone. */
        tail: z.optional(limit(MAX_TAIL_LINES)),
      }),
  },
  'subagents.stop': { params: byId, body: () => z.strictObject(session()) },
  'subagents.read': {
    params: byId,
    body: () =>
      z.strictObject({
        ...session(),
        /** Its newest run unless told. */
        run: z.optional(limit(1_000_000)),
      }),
  },
} satisfies Record<keyof typeof RECOVERY_ROUTES, RequestSchemas>
