import * as z from 'zod/mini'
import { DIFF_RELATIONS, SEGMENT_KINDS } from '../../../../domain/conversation/conversation'
import { CONVERSATION_ITEM_KINDS } from '../../../../domain/conversation/line-row'
import { SECRET_RULE_NAMES } from '../../../../domain/secrets/rules'
import {
  COST,
  eventIdSchema,
  Instant,
  MaybeInstant,
  MaybeText,
  sessionIdSchema,
  subagentIdSchema,
  toolUseIdSchema,
  Usage,
} from '../scalars'
import { EventNode } from './event'
import { Session, Subagent } from './session'

/** A text of a line. `isCut`: there is more; `bytes` = of the whole line. */
const LINE_TEXT = {
  eventId: z.nullable(eventIdSchema),
  at: MaybeInstant,
  text: MaybeText,
  isCut: z.boolean(),
  bytes: z.int(),
}

export const LineText = z.object(LINE_TEXT)

/** A call of a tool and its answer. `isError` is `null` while there is no answer. */
export const ConversationTool = z.object({
  id: toolUseIdSchema,
  name: MaybeText,
  isError: z.nullable(z.boolean()),
  result: z.nullable(LineText),
})

/** An entry of a turn. A fork or resume names the other session; `isOrigin`: that one came first. */
export const ConversationItem = z.object({
  ...LINE_TEXT,
  kind: z.enum(CONVERSATION_ITEM_KINDS),
  subagentId: z.nullable(subagentIdSchema),
  parentToolUseId: z.nullable(toolUseIdSchema),
  inherited: z.boolean(),
  count: z.int(),
  tool: z.nullable(ConversationTool),
  sessionId: z.nullable(sessionIdSchema),
  isOrigin: z.boolean(),
  get branches() {
    return z.array(ConversationBranch)
  },
  continued: z.array(z.object({ subagentId: subagentIdSchema, run: z.int() })),
})

/** What a call launched. `turns` is `null` unless `depth` asked for them. */
export const ConversationBranch = z.object({
  subagent: Subagent,
  get turns() {
    return z.nullable(z.array(Turn))
  },
  isCut: z.boolean(),
})

/** What happened from one prompt or notice to the next. 0 = before the first. */
export const Turn = z.object({
  number: z.int(),
  get start() {
    return z.nullable(ConversationItem)
  },
  startedAt: MaybeInstant,
  lastAt: MaybeInstant,
  isContinued: z.boolean(),
  isCut: z.boolean(),
  get items() {
    return z.array(ConversationItem)
  },
})

export const ConversationPage = z.object({ turns: z.array(Turn), turnCount: z.int(), nextCursor: MaybeText })

/** A page of a conversation. `subagent` = whose, `null` = the main thread; `nodes` names the agents of a flat page. */
export const Conversation = z.object({
  session: Session,
  subagent: z.nullable(Subagent),
  turns: z.array(Turn),
  turnCount: z.int(),
  nextCursor: MaybeText,
  nodes: z.array(EventNode),
  orphans: z.array(Subagent),
  orphanCount: z.int(),
})

/** What each of two sessions has alone: lines of its main thread, and the first turns of them. */
const DiffSide = z.object({ session: Session, lineCount: z.int(), ...ConversationPage.shape })

export const SessionDiff = z.object({
  relation: z.enum(DIFF_RELATIONS),
  origin: z.nullable(sessionIdSchema),
  shared: z.nullable(z.object({ count: z.int(), lastId: eventIdSchema, lastAt: Instant })),
  first: DiffSide,
  second: DiffSide,
})

export const TimelineLane = z.object({
  subagent: z.nullable(Subagent),
  startedAt: Instant,
  endedAt: Instant,
  segments: z.array(z.object({ from: Instant, to: Instant, kind: z.enum(SEGMENT_KINDS) })),
  spentMs: z.object({ working: z.number(), waiting: z.number(), idle: z.number(), tool: z.number() }),
  usage: z.nullable(Usage),
  ...COST,
})

/** Lanes by agent. `leftOutCount`: sub-agents without one; `isCut`: older turns of the main thread are not in it. */
export const SessionTimeline = z.object({
  session: Session,
  from: MaybeInstant,
  to: MaybeInstant,
  lanes: z.array(TimelineLane),
  leftOutCount: z.int(),
  compactions: z.array(Instant),
  isCut: z.boolean(),
})

/** `name` is for its file. `masked`: what stands for secrets in it, by their form, with the first turns that have it. */
export const SessionDocument = z.object({
  name: z.string(),
  text: z.string(),
  turns: z.int(),
  turnCount: z.int(),
  masked: z.array(z.object({ rule: z.enum(SECRET_RULE_NAMES), count: z.int(), turns: z.array(z.int()) })),
  isCut: z.boolean(),
})
