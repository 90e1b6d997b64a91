import * as z from 'zod/mini'
import { FEED_KINDS } from '../../../../domain/feed'
import { EVENT_TYPES } from '../../../../domain/record/observation'
import { SubagentRun } from '../recovery'
import {
  eventIdSchema,
  feedSeqSchema,
  Instant,
  MaybeInstant,
  MaybeText,
  sessionIdSchema,
  subagentIdSchema,
  toolUseIdSchema,
} from '../scalars'
import { AgentNameSchema, Subagent, TreeNode } from './session'

/** One entry of a conversation. `isCut`: there is more text in the journal. */
export const ConversationEvent = z.object({
  id: eventIdSchema,
  sessionId: sessionIdSchema,
  type: z.enum(EVENT_TYPES),
  role: z.string(),
  at: MaybeInstant,
  subagentId: z.nullable(subagentIdSchema),
  parentToolUseId: z.nullable(toolUseIdSchema),
  toolUseId: z.nullable(toolUseIdSchema),
  toolName: MaybeText,
  text: MaybeText,
  isCut: z.boolean(),
  inherited: z.boolean(),
})

export const EventPage = z.object({ events: z.array(ConversationEvent), nextCursor: MaybeText })

/** An event with its line. `base64` holds the bytes when they are no valid UTF-8, and is `null` otherwise. */
export const EventDetail = z.object({
  event: ConversationEvent,
  line: z.nullable(
    z.object({
      text: z.string(),
      base64: MaybeText,
      /** Bytes from the start of the incarnation. */
      offset: z.int(),
      /** Bytes without the newline. */
      length: z.int(),
    }),
  ),
})

/** Which agent an event belongs to. */
export const EventNode = z.object({
  subagentId: z.nullable(subagentIdSchema),
  kind: z.enum(['main', 'agent', 'shell', 'monitor']),
  type: MaybeText,
  description: MaybeText,
  depth: z.nullable(z.int()),
  isOrphan: z.boolean(),
})

/** Matches stand between U+0002 and U+0003 in `snippet`. */
export const SearchHit = z.object({
  event: ConversationEvent,
  node: EventNode,
  /** The agent CLI of its session. */
  agent: AgentNameSchema,
  sessionTitle: MaybeText,
  snippet: z.string(),
})

const Facet = z.array(z.object({ value: z.string(), count: z.number() }))

export const SearchResult = z.object({
  hits: z.array(SearchHit),
  /** There are more matches, or may be: at most the newest 2,000 were ranked, with filters sometimes fewer. */
  isTruncated: z.boolean(),
  /** No line has all words; these have them as parts of words. */
  isByParts: z.boolean(),
  /** How many of the ranked matches there are of each sort; `null` unless asked for. */
  facets: z.nullable(z.object({ is: Facet, tool: Facet, agent: Facet, project: Facet, session: Facet })),
})

export const FeedKindSchema = z.enum(FEED_KINDS)

/** One change. A reader skips kinds that it doesn't know. */
export const FeedEntry = z.object({
  seq: feedSeqSchema,
  at: Instant,
  kind: FeedKindSchema,
  sessionId: z.nullable(sessionIdSchema),
  data: z.record(z.string(), z.unknown()),
})

/** `nextCursor` goes into `after`, whether entries matched or not; `isEnd` = nothing more was there when we looked. */
export const FeedPage = z.object({ entries: z.array(FeedEntry), nextCursor: feedSeqSchema, isEnd: z.boolean() })

export const ToolUse = z.object({
  id: toolUseIdSchema,
  sessionId: sessionIdSchema,
  name: MaybeText,
  subagentId: z.nullable(subagentIdSchema),
  calledAt: MaybeInstant,
  endedAt: MaybeInstant,
  isError: z.nullable(z.boolean()),
  launched: z.nullable(subagentIdSchema),
  continued: z.nullable(subagentIdSchema),
})

/** A call with its line and its result's, and with what it launched and everything below that. */
export const ToolUseDetail = z.object({
  toolUse: ToolUse,
  call: z.nullable(ConversationEvent),
  result: z.nullable(ConversationEvent),
  launched: z.nullable(TreeNode),
})

/** `runs`: oldest first; a continued agent has several. */
export const SubagentDetail = z.object({ subagent: Subagent, runs: z.array(SubagentRun) })
