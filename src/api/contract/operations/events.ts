/** Events, their search, and the feed of what changes. */

import { READ_TASK_LOG } from '../../../domain/access/rules'
import { FEED_KINDS } from '../../../domain/feed'
import { LEADS } from '../callers'
import { alone, type Fields, json, noun } from '../operation'
import { MAX_PAGE_LIMIT, MAX_SEARCH_LIMIT } from '../protocol'

export const eventFilter = (f: Fields) => ({
  /** Events of the sub-agent that this tool call launched; `null` = the main thread. */
  parentToolUseId: f.optional(f.nullable(f.id())),
  subagentId: f.optional(f.id()),
  /** Events of sub-agents whose launch was not seen. */
  orphans: f.optional(f.boolean()),
  /** An event's type, or the line's own. */
  type: f.optional(f.text(100)),
  toolUseId: f.optional(f.id()),
  /** Without inherited events of forks. */
  ownOnly: f.optional(f.boolean()),
})

const feedFilter = (f: Fields) => ({
  /** The cursor of the last entry that the reader has. `feed.follow` without it starts now, and `Last-Event-ID` goes before it. */
  after: f.optional(f.seq()),
  sessionId: f.optional(f.id()),
  /** Entries that name this task. A run's token must give it. */
  taskId: f.optional(f.id()),
  kinds: f.optional(f.array(f.enum(FEED_KINDS))),
  /** Entries of sessions of this agent CLI. */
  agent: f.optional(f.agentCli()),
})

export const events = noun('events', {
  list: {
    method: 'GET',
    path: '/api/events',
    access: LEADS,
    summary: 'List events of all sessions, or of one',
    query: (f) =>
      f.strictObject({
        sessionId: f.optional(f.id()),
        /** Only of sessions of this agent CLI. */
        agent: f.optional(f.agentCli()),
        ...eventFilter(f),
        ...f.paging(),
      }),
    answer: json((schemas) => schemas.EventPage),
  },
})

export const search = alone('search', {
  method: 'GET',
  path: '/api/search',
  access: LEADS,
  summary: 'Search messages, tool inputs and tool outputs, ranked by relevance',
  query: (f) =>
    f.strictObject({
      q: f.text(1_000),
      sessionId: f.optional(f.id()),
      agent: f.optional(f.agentCli()),
      /** The time zone of `before:` and `after:` in `q`. Default UTC. */
      timeZone: f.optional(f.text(64)),
      /** Whether matches are counted by sort. */
      facets: f.optional(f.boolean()),
      limit: f.optional(f.limit(MAX_SEARCH_LIMIT)),
    }),
  answer: json((schemas) => schemas.SearchResult),
})

export const feed = noun('feed', {
  follow: {
    method: 'GET',
    path: '/api/feed',
    access: READ_TASK_LOG,
    summary: 'Stream the feed as server-sent events, resumable with Last-Event-ID',
    query: (f) => f.strictObject(feedFilter(f)),
    answer: 'events',
  },
  page: {
    method: 'GET',
    path: '/api/feed/page',
    access: READ_TASK_LOG,
    summary: 'List feed entries after a cursor',
    query: (f) => f.strictObject({ ...feedFilter(f), limit: f.optional(f.limit(MAX_PAGE_LIMIT)) }),
    answer: json((schemas) => schemas.FeedPage),
  },
})

export const toolUses = noun('toolUses', {
  get: {
    method: 'GET',
    path: '/api/tool-uses/:id',
    access: LEADS,
    summary: 'Get one tool call with its result, the sub-agent it launched and all its descendants',
    query: (f) => f.strictObject({ sessionId: f.optional(f.id()) }),
    answer: json((schemas) => schemas.ToolUseDetail),
  },
})
