import * as z from 'zod/mini'
import type {
  Address,
  AgentId,
  AttemptId,
  EventId,
  FeedSeq,
  InboxId,
  IssueId,
  MessageId,
  PlanId,
  QuestionId,
  SessionId,
  SubagentId,
  TaskId,
  TodoId,
  TokenId,
  ToolUseId,
} from '../../../domain/ids'

// A brand exists for the compiler only: these are plain strings and numbers on the wire, so the schema is given the branded
// type by a cast: here, and for what comes in by `idOf` of `contract/fields.ts`.
type Branded<Id> = z.ZodMiniType<Id, Id>

/** Ids in what we answer. */
export const sessionIdSchema = z.string() as unknown as Branded<SessionId>
export const subagentIdSchema = z.string() as unknown as Branded<SubagentId>
export const eventIdSchema = z.string() as unknown as Branded<EventId>
export const toolUseIdSchema = z.string() as unknown as Branded<ToolUseId>
export const todoIdSchema = z.string() as unknown as Branded<TodoId>
export const taskIdSchema = z.string() as unknown as Branded<TaskId>
export const attemptIdSchema = z.string() as unknown as Branded<AttemptId>
export const agentIdSchema = z.string() as unknown as Branded<AgentId>
export const questionIdSchema = z.string() as unknown as Branded<QuestionId>
export const issueIdSchema = z.string() as unknown as Branded<IssueId>
export const addressSchema = z.string() as unknown as Branded<Address>
export const inboxIdSchema = z.string() as unknown as Branded<InboxId>
export const messageIdSchema = z.string() as unknown as Branded<MessageId>
export const tokenIdSchema = z.string() as unknown as Branded<TokenId>
export const planIdSchema = z.string() as unknown as Branded<PlanId>
export const feedSeqSchema = z.int().check(z.minimum(0)) as unknown as Branded<FeedSeq>

/** Tokens, as the model's API counts them. */
export const Usage = z.object({
  inputTokens: z.int(),
  outputTokens: z.int(),
  cacheReadTokens: z.int(),
  cacheCreationTokens: z.int(),
})

/**
 * US dollars by the price table, without models that have no price; `null` when nothing that was used has one. `isEstimate`: a model without
 * a price is left out, or counted at the price of another version of its family.
 */
export const COST = { costUsd: z.nullable(z.number()), isEstimate: z.boolean() }

/** ISO 8601 in UTC. */
export const Instant = z.string()
export const MaybeInstant = z.nullable(Instant)
export const MaybeText = z.nullable(z.string())
