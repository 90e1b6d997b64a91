import * as z from 'zod/mini'
import { CONVERSATION_ITEM_KINDS } from '../../../../domain/conversation/line-row'
import { SESSION_MARK_KINDS } from '../../../../domain/conversation/session-mark'
import { MAP_KINDS } from '../../../../domain/session/minimap'
import {
  eventIdSchema,
  feedSeqSchema,
  MaybeInstant,
  MaybeText,
  sessionIdSchema,
  subagentIdSchema,
  taskIdSchema,
  toolUseIdSchema,
} from '../scalars'
import { ConversationEvent } from './event'
import { Subagent } from './session'

/**
 * One line, by its number among its agent's lines. `answer` is the answer to a call, beside the kinds of a conversation. `call` is there for
 * calls and answers: its name, and for a call whether its answer came and was an error. `launched`: what the call set to work.
 */
export const SessionRow = z.object({
  number: z.int(),
  kind: z.enum([...CONVERSATION_ITEM_KINDS, 'answer']),
  event: ConversationEvent,
  bytes: z.int(),
  call: z.nullable(
    z.object({ id: toolUseIdSchema, name: MaybeText, isAnswered: z.boolean(), isError: z.nullable(z.boolean()) }),
  ),
  launched: z.array(Subagent),
  continued: z.array(z.object({ subagentId: subagentIdSchema, run: z.int() })),
})

/** Rows in their order. `number` of the first is `from`; `total` is how many the agent has. `marks` stand before the row `before`. */
export const SessionRows = z.object({
  sessionId: sessionIdSchema,
  total: z.int(),
  from: z.int(),
  /** The row of `around`. */
  found: z.nullable(z.int()),
  rows: z.array(SessionRow),
  marks: z.array(
    z.object({
      kind: z.enum(SESSION_MARK_KINDS),
      sessionId: sessionIdSchema,
      isOrigin: z.boolean(),
      at: MaybeInstant,
      before: z.int(),
    }),
  ),
  feedSeq: feedSeqSchema,
})

/** `number` is a row's; `count`: rows of the kind near it. `only`: numbers of all rows of the kind that was asked for, at most 5,000. */
export const SessionMinimap = z.object({
  total: z.int(),
  marks: z.array(z.object({ kind: z.enum(MAP_KINDS), number: z.int(), count: z.int() })),
  only: z.nullable(z.array(z.int())),
})

/**
 * What no line of the session has yet. `taskId`: its live run, whose output has `words` and `outputs`; without one only shells are listed.
 * `isCut`: the beginning is left out.
 */
export const SessionLive = z.object({
  sessionId: sessionIdSchema,
  taskId: z.nullable(taskIdSchema),
  words: z.string(),
  isCut: z.boolean(),
  outputs: z.array(z.object({ toolUseId: toolUseIdSchema, toolName: MaybeText, text: z.string(), isCut: z.boolean() })),
  shells: z.array(z.object({ id: subagentIdSchema, description: MaybeText, text: z.string(), isCut: z.boolean() })),
})

const Image = { mediaType: z.string(), base64: z.string() }

/** What a call changed in a file; beside a call, what it is to change. Lines begin with ' ', '+' or '-'; a start of 0 is not known. */
const PatchBlock = z.object({
  kind: z.literal('patch'),
  path: z.string(),
  hunks: z.array(z.object({ oldStart: z.int(), newStart: z.int(), lines: z.array(z.string()) })),
})

/** A part of a line. Its texts are an agent's or a tool's, and nothing in them is to be run. */
export const ContentBlock = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('text'), text: z.string() }),
  z.object({ kind: z.literal('thinking'), text: z.string() }),
  z.object({ kind: z.literal('call'), toolUseId: z.string(), name: z.string(), input: z.unknown() }),
  z.object({
    kind: z.literal('answer'),
    toolUseId: z.string(),
    isError: z.boolean(),
    text: z.string(),
    images: z.array(z.object(Image)),
  }),
  PatchBlock,
  z.object({ kind: z.literal('image'), ...Image }),
  z.object({ kind: z.literal('other'), name: z.string(), json: z.string() }),
])

/**
 * `isCut`: blocks or texts are left out, as the answer would have been larger than 4 MB, or bytes of something that is not shown; the line
 * is in `sessions.event`.
 */
export const EventContent = z.object({ eventId: eventIdSchema, blocks: z.array(ContentBlock), isCut: z.boolean() })

export const SessionStep = z.object({ eventId: z.nullable(eventIdSchema) })
/** `eventId`: the line to look at. `patches` may lack a file of `files`: not every agent CLI tells what a call wrote. */
const SessionChange = z.object({
  toolUseId: toolUseIdSchema,
  subagentId: z.nullable(subagentIdSchema),
  eventId: z.nullable(eventIdSchema),
  at: MaybeInstant,
  files: z.array(z.string()),
  patches: z.array(PatchBlock),
})
export const SessionChanges = z.object({ changes: z.array(SessionChange), nextCursor: MaybeText })
