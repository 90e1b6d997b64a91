import * as z from 'zod/mini'
import { EVENT_TYPES } from '../../../domain/observation'
import { eventIdSchema, sessionIdSchema, subagentIdSchema, toolUseIdSchema } from './ids'
import { MaybeInstant, MaybeText } from './usage'

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
  sessionTitle: MaybeText,
  snippet: z.string(),
})

/** `isTruncated`: there were more than 2,000 matches; only the newest of them were ranked. */
export const SearchResult = z.object({ hits: z.array(SearchHit), isTruncated: z.boolean() })
