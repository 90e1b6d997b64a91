import * as z from 'zod/mini'
import { FEED_KINDS } from '../../domain/feed'
import { SESSION_STATUSES } from '../../domain/session'
import type { RECORD_ROUTES } from './record-routes'
import { byId, id, limit, nothing, ofUuid, paging, type RequestSchemas, seq, text } from './request-fields'
import { MAX_PAGE_LIMIT, MAX_SEARCH_LIMIT } from './routes'

const eventFilter = () => ({
  /** Events of the sub-agent that this tool call launched; `null` = the main thread. */
  parentToolUseId: z.optional(z.nullable(id())),
  subagentId: z.optional(id()),
  /** Events of sub-agents whose launch was not seen. */
  orphans: z.optional(z.boolean()),
  /** An event's type, or the line's own. */
  type: z.optional(text(100)),
  toolUseId: z.optional(id()),
  /** Without inherited events of forks. */
  ownOnly: z.optional(z.boolean()),
})

const feedFilter = () => ({
  /** The cursor of the last entry that the reader has. `feed.follow` without it starts now, and `Last-Event-ID` goes before it. */
  after: z.optional(seq()),
  sessionId: z.optional(id()),
  /** Entries that name this task. A run's token must give it. */
  taskId: z.optional(id()),
  kinds: z.optional(z.array(z.enum(FEED_KINDS))),
})

/** What goes into requests about the record and the server. */
export const RECORD_REQUESTS = {
  health: {},
  status: {},
  'sessions.list': {
    query: () =>
      z.strictObject({
        project: z.optional(text(4_096)),
        agent: z.optional(z.enum(['claude-code'])),
        status: z.optional(z.array(z.enum(SESSION_STATUSES))),
        /** Working directory equal to or below this. */
        under: z.optional(text(4_096)),
        /** Title or id holds this, without regard to case. */
        text: z.optional(text(200)),
        forkedFrom: z.optional(id()),
        ...paging(),
      }),
  },
  'sessions.get': { params: byId },
  'sessions.forget': { params: byId },
  'sessions.tree': { params: byId },
  'sessions.events': { params: byId, query: () => z.strictObject({ ...eventFilter(), ...paging() }) },
  'sessions.event': {
    params: () => z.strictObject({ id: id(), eventId: ofUuid() }),
  },
  'sessions.journals': { params: byId },
  'sessions.export': {
    params: byId,
    query: () => z.strictObject({ incarnation: z.optional(limit(1_000_000)), partial: z.optional(z.boolean()) }),
  },
  'events.list': {
    query: () => z.strictObject({ sessionId: z.optional(id()), ...eventFilter(), ...paging() }),
  },
  'subagents.list': {
    query: () =>
      z.strictObject({
        sessionId: id(),
        /** Without it: agents alone. */
        kinds: z.optional(z.array(z.enum(['agent', 'shell', 'monitor']))),
        ...paging(),
      }),
  },
  'subagents.get': { params: byId, query: () => z.strictObject({ sessionId: z.optional(id()) }) },
  'toolUses.get': { params: byId, query: () => z.strictObject({ sessionId: z.optional(id()) }) },
  search: {
    query: () =>
      z.strictObject({ q: text(1_000), sessionId: z.optional(id()), limit: z.optional(limit(MAX_SEARCH_LIMIT)) }),
  },
  'feed.follow': { query: () => z.strictObject(feedFilter()) },
  'feed.page': { query: () => z.strictObject({ ...feedFilter(), limit: z.optional(limit(MAX_PAGE_LIMIT)) }) },
  doctor: {},
  import: {
    body: () =>
      z.strictObject({
        /** Absolute paths of files or folders on the server's host. */
        paths: z.array(text(4_096)).check(z.minLength(1), z.maxLength(1_000)),
      }),
  },
  rebuild: { body: nothing },
  'hooks.claudeCode': {},
  openapi: {},
} satisfies Record<keyof typeof RECORD_ROUTES, RequestSchemas>
